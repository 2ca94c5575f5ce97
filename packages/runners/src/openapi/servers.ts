/** Owns the server of an operation, and whether its credentials are configured. */
import { isAllowedHost } from '../http/hosts.ts';
import { isRecord } from '@holdfast/core/internal/plain';
import { asText } from '../template.ts';
import type { OpenapiDocument, Plain } from './document.ts';
import type { Operation } from './operations.ts';
import type { OpenapiSettings } from './options.ts';
import { follow } from './reference.ts';

/**
 * The allowed hosts: those of the options, otherwise the host of the base URL, otherwise the host of the document's first server. `undefined`: any host
 * of an operation.
 */
export function hostsOf({ root }: OpenapiDocument, { allowedHosts, baseUrl }: OpenapiSettings): readonly string[] | undefined {
  if (allowedHosts !== undefined) return allowedHosts;
  if (baseUrl !== undefined) return [baseUrl.host];
  const server = Array.isArray(root['servers']) ? addressOf(root['servers'][0]).url : undefined;
  return server === undefined ? undefined : [server.host];
}

/** @throws TypeError if there is no complete address in the document or the options, or if its host may not get the credentials of this API */
export function baseUrlOf({ servers }: Operation, { baseUrl }: OpenapiSettings, hosts: readonly string[] | undefined): URL {
  if (baseUrl !== undefined) return baseUrl;
  const { url, template } = addressOf(servers[0]);
  if (url === undefined) throw new TypeError(`its server '${template}' is not a complete address: give base_url`);
  if (hosts !== undefined && !isAllowedHost(url, hosts))
    throw new TypeError(`its server is ${url.host}: add it to allowed_hosts to send it the credentials of this API`);
  return url;
}

function addressOf(server: unknown): { readonly template: string; readonly url: URL | undefined } {
  const template = isRecord(server) && typeof server['url'] === 'string' ? server['url'] : '/';
  const variables = isRecord(server) && isRecord(server['variables']) ? server['variables'] : {};
  const address = template.replace(/\{([^{}]*)\}/g, (placeholder, name: string) => {
    const variable = Object.hasOwn(variables, name) ? variables[name] : undefined;
    return (isRecord(variable) ? asText(variable['default']) : undefined) ?? placeholder;
  });
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const isWhole =
    url !== undefined && /^https?:$/.test(url.protocol) && !address.includes('{') && url.username === '' && url.password === '';
  return { template, url: isWhole ? url : undefined };
}

/** The credentials of the operation that are not configured; `undefined` if none are missing. */
export function missingCredentials({ root }: OpenapiDocument, { security }: Operation, sent: SentNames): string | undefined {
  if (security.length === 0) return undefined;
  const components = isRecord(root['components']) ? root['components'] : {};
  const schemes = isRecord(components['securitySchemes']) ? components['securitySchemes'] : {};
  const missing = security.map((requirement) =>
    Object.keys(isRecord(requirement) ? requirement : {}).flatMap((name) => {
      const scheme = Object.hasOwn(schemes, name) ? follow(root, schemes[name]) : undefined;
      return isSatisfied(scheme, sent) ? [] : [`${name} (${describe(scheme)})`];
    }),
  );
  return missing.some((names) => names.length === 0) ? undefined : missing.map((names) => names.join(' and ')).join(', or ');
}

export interface SentNames {
  /** In lower case. */
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
