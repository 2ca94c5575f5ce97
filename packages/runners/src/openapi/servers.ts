/** Owns where an operation is asked, and whether what it needs of credentials is configured. */
import { isAllowedHost } from '../http/hosts.ts';
import { isRecord } from '@holdfast/core/internal/plain';
import { asText } from '../template/placeholder.ts';
import type { OpenapiDocument, Plain } from './document.ts';
import type { Operation } from './operations.ts';
import type { OpenapiSettings } from './options.ts';
import { followed } from './reference.ts';

/**
 * The hosts that may be asked: those of the options, else the one of the base URL, else the one of the document's own first server. `undefined`: any
 * that an operation names.
 */
export function hostsOf({ root }: OpenapiDocument, { allowedHosts, baseUrl }: OpenapiSettings): readonly string[] | undefined {
  if (allowedHosts !== undefined) return allowedHosts;
  if (baseUrl !== undefined) return [baseUrl.host];
  const server = Array.isArray(root['servers']) ? addressOf(root['servers'][0]).url : undefined;
  return server === undefined ? undefined : [server.host];
}

/** @throws TypeError when the document says no whole address and the options give none, or one of a host that gets no credentials of this API */
export function baseUrlOf({ servers }: Operation, { baseUrl }: OpenapiSettings, hosts: readonly string[] | undefined): URL {
  if (baseUrl !== undefined) return baseUrl;
  const { url, template } = addressOf(servers[0]);
  if (url === undefined) throw new TypeError(`its server '${template}' is no whole address: give base_url`);
  if (hosts !== undefined && !isAllowedHost(url, hosts))
    throw new TypeError(`its server is ${url.host}: name it in allowed_hosts if it is to get what this API gets`);
  return url;
}

function addressOf(server: unknown): { readonly template: string; readonly url: URL | undefined } {
  const template = isRecord(server) && typeof server['url'] === 'string' ? server['url'] : '/';
  const variables = isRecord(server) && isRecord(server['variables']) ? server['variables'] : {};
  const address = template.replace(/\{([^{}]*)\}/g, (whole, name: string) => {
    const variable = Object.hasOwn(variables, name) ? variables[name] : undefined;
    return (isRecord(variable) ? asText(variable['default']) : undefined) ?? whole;
  });
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const isWhole =
    url !== undefined && /^https?:$/.test(url.protocol) && !address.includes('{') && url.username === '' && url.password === '';
  return { template, url: isWhole ? url : undefined };
}

/** What the operation asks for and nobody has configured; `undefined`: nothing. */
export function missingCredentials({ root }: OpenapiDocument, { security }: Operation, sent: SentNames): string | undefined {
  if (security.length === 0) return undefined;
  const components = isRecord(root['components']) ? root['components'] : {};
  const schemes = isRecord(components['securitySchemes']) ? components['securitySchemes'] : {};
  const missing = security.map((requirement) =>
    Object.keys(isRecord(requirement) ? requirement : {}).flatMap((name) => {
      const scheme = Object.hasOwn(schemes, name) ? followed(root, schemes[name]) : undefined;
      return isSatisfied(scheme, sent) ? [] : [`${name} (${describe(scheme)})`];
    }),
  );
  return missing.some((names) => names.length === 0) ? undefined : missing.map((names) => names.join(' and ')).join(', or ');
}

export interface SentNames {
  /** In small letters. */
  readonly sentHeaders: ReadonlySet<string>;
  readonly sentQuery: ReadonlySet<string>;
}

export function sentNames({ headers, baseUrl }: OpenapiSettings): SentNames {
  return {
    sentHeaders: new Set(Object.keys(headers).map((name) => name.toLowerCase())),
    sentQuery: new Set(baseUrl?.searchParams.keys()),
  };
}

function isSatisfied(scheme: Plain | undefined, { sentHeaders, sentQuery }: SentNames): boolean {
  if (scheme?.['type'] !== 'apiKey') return sentHeaders.has('authorization');
  const name = String(scheme['name']);
  if (scheme['in'] === 'query') return sentQuery.has(name);
  return sentHeaders.has(scheme['in'] === 'cookie' ? 'cookie' : name.toLowerCase());
}

function describe(scheme: Plain | undefined): string {
  if (scheme === undefined) return 'not in the document';
  if (scheme['type'] !== 'apiKey') return 'the header authorization';
  return scheme['in'] === 'query'
    ? `the parameter ${String(scheme['name'])}: give it in base_url`
    : `the ${String(scheme['in'])} ${String(scheme['name'])}`;
}
