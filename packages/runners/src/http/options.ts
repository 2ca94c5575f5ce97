/**
 * Owns the options of `httpRunner` and their checks.
 */
import { isRecord } from '@holdfast/core/internal/plain';
import { choice, count, milliseconds, misuse, onlyFields, text, texts } from '../options/fields.ts';
import { type TextOrSecret, checkTextOrSecret, isSecretReference, textsOrSecrets } from '../options/secret.ts';
import { checkTemplate } from '../template.ts';
import { type AddressRule, checkAddressRule } from './address-rules.ts';
import { checkHost } from './hosts.ts';
import type { ResolveHost } from './lookup.ts';

/** HTTP methods of `httpRunner`. */
export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** A template, a literal or a secret; an array repeats the parameter. */
export type QueryValue = TextOrSecret | number | boolean | readonly string[];

/**
 * In `url`, `query`, `headers` and `body`, `{{arguments.path}}` is replaced by a value of the call's arguments. In the path and the query it
 * is percent-encoded; it can change neither the host nor the path structure.
 */
export interface HttpRunnerOptions {
  /** @default 'GET' */
  readonly method?: HttpMethod;
  /** Such as `https://api.example.com/cities/{{arguments.city}}/weather`. Scheme and host are literal. */
  readonly url: string;
  /**
   * A parameter that is one placeholder is left out when its argument is missing.
   * @default the arguments that no template uses, for GET and DELETE
   */
  readonly query?: Readonly<Record<string, QueryValue>>;
  /** A header that is one placeholder is left out when its argument is missing. @default {} */
  readonly headers?: Readonly<Record<string, TextOrSecret>>;
  /**
   * JSON with templates in its strings; a string that is a single placeholder keeps the type of the value. Sent as JSON, unless a
   * `content-type` header is `application/x-www-form-urlencoded` (for an object) or another type (for a string).
   * @default an object of the arguments that no template uses, for POST, PUT and PATCH
   */
  readonly body?: unknown;
  /** How a successful response is parsed. @default 'json' */
  readonly response?: 'json' | 'text';
  /** @default every status from 200 to 299 */
  readonly successStatus?: readonly number[];
  /**
   * Hosts that may be requested, including redirects: `api.example.com`, `api.example.com:8443`, `*.example.com`. Without a port, the
   * default port of the scheme.
   * @default the host of `url`
   */
  readonly allowedHosts?: readonly string[];
  /**
   * To which addresses a host name may resolve, checked for every connection. `network`: no loopback (except `localhost`), link-local,
   * unspecified or multicast address. `public`: no private network either. `any`: no check. Or a list of addresses and ranges such as
   * `10.1.0.0/16`. A literal address in `url` or `allowedHosts` is always allowed.
   * @default 'network'
   */
  readonly addresses?: AddressRule;
  /** Resolves a name to addresses. @default the system's resolver */
  readonly resolveHost?: ResolveHost;
  /** Redirects that a request follows. @default 5 */
  readonly maxRedirects?: number;
  /** A larger response (after decompression) rejects with `OUTPUT_TOO_LARGE`. @default 10485760 */
  readonly maxResponseBytes?: number;
  /** Header that carries the idempotency key, the same for every attempt of a call; not sent with GET. @default 'Idempotency-Key' */
  readonly idempotencyHeader?: string | false;
  /** Time limit for connecting; the time limit of the call applies to everything else. @default 10000 */
  readonly connectTimeoutMs?: number;
}

export interface ConnectionSettings {
  readonly addresses: AddressRule;
  readonly resolveHost: ResolveHost | undefined;
  readonly maxRedirects: number;
  readonly maxResponseBytes: number;
  readonly idempotencyHeader: string | false;
  readonly connectTimeoutMs: number;
}

export interface HttpSettings extends ConnectionSettings {
  readonly method: HttpMethod;
  readonly url: string;
  readonly query: Readonly<Record<string, QueryValue>> | undefined;
  readonly headers: Readonly<Record<string, TextOrSecret>>;
  readonly body: unknown;
  readonly response: 'json' | 'text';
  readonly successStatus: readonly number[] | undefined;
  readonly allowedHosts: readonly string[];
}

const known = [
  'method',
  'url',
  'query',
  'headers',
  'body',
  'response',
  'successStatus',
  'allowedHosts',
  'addresses',
  'resolveHost',
  'maxRedirects',
  'maxResponseBytes',
  'idempotencyHeader',
  'connectTimeoutMs',
];

export function httpSettings(options: HttpRunnerOptions): HttpSettings {
  const owner = 'httpRunner';
  onlyFields(owner, options, known);
  const method = choice(`${owner}: method`, options.method, ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'], 'GET');
  if (method === 'GET' && options.body !== undefined)
    throw misuse(`${owner}: body`, options.body, 'a GET request has no body: use query, or another method');
  const host = checkUrl(`${owner}: url`, options.url);
  const allowedHosts = texts(`${owner}: allowedHosts`, options.allowedHosts, [host]);
  allowedHosts.forEach((allowed, index) => checkHost(`${owner}: allowedHosts[${index}]`, allowed));
  checkBody(`${owner}: body`, options.body);
  return {
    method,
    url: options.url,
    query: checkedQuery(`${owner}: query`, options.query),
    headers: checkedHeaders(`${owner}: headers`, options.headers),
    body: options.body,
    response: choice(`${owner}: response`, options.response, ['json', 'text'], 'json'),
    successStatus: statuses(`${owner}: successStatus`, options.successStatus),
    allowedHosts,
    ...connectionSettings(owner, options),
  };
}

/** The settings of every HTTP request. */
export function connectionSettings(owner: string, options: Partial<ConnectionSettings>): ConnectionSettings {
  return {
    addresses: checkAddressRule(`${owner}: addresses`, options.addresses),
    resolveHost: resolver(`${owner}: resolveHost`, options.resolveHost),
    maxRedirects: count(`${owner}: maxRedirects`, options.maxRedirects, 5),
    maxResponseBytes: count(`${owner}: maxResponseBytes`, options.maxResponseBytes, 10 * 1024 * 1024, 1),
    idempotencyHeader:
      options.idempotencyHeader === false
        ? false
        : headerName(
            `${owner}: idempotencyHeader`,
            options.idempotencyHeader === undefined ? 'Idempotency-Key' : options.idempotencyHeader,
          ),
    connectTimeoutMs: milliseconds(`${owner}: connectTimeoutMs`, options.connectTimeoutMs, 10_000),
  };
}

function statuses(field: string, value: unknown): readonly number[] | undefined {
  if (value === undefined) return undefined;
  if (!Array.isArray(value) || value.length === 0) throw misuse(field, value, 'give an array of statuses such as [200, 404]');
  return value.map((status: unknown, index) => count(`${field}[${index}]`, status, 200, 100));
}

function resolver(field: string, value: unknown): ResolveHost | undefined {
  if (value !== undefined && typeof value !== 'function') throw misuse(field, value, 'give a function from a name to its addresses');
  return value as ResolveHost | undefined;
}

/** Returns the host; scheme, host and port must be literal. */
function checkUrl(field: string, value: unknown): string {
  const hint =
    'give a URL such as https://api.example.com/cities/{{arguments.city}}; scheme and host are literal, without user or password';
  const template = text(field, value, hint);
  checkTemplate(field, template);
  const [origin] = /^https?:\/\/[^/?#\\@{}\s]+(?=[/?#]|$)/.exec(template) ?? [];
  if (origin === undefined || !URL.canParse(origin)) throw misuse(field, value, hint);
  return new URL(origin).host;
}

function checkedQuery(field: string, value: unknown): HttpSettings['query'] {
  if (value === undefined) return undefined;
  if (!isRecord(value)) throw misuse(field, value, 'give an object of names and values');
  for (const [name, entry] of Object.entries(value)) {
    if (typeof entry === 'number' || typeof entry === 'boolean') continue;
    const entries: readonly unknown[] = Array.isArray(entry) ? entry : [entry];
    for (const each of entries) checkTemplateOrSecret(`${field}.${name}`, each);
  }
  return { ...(value as Readonly<Record<string, QueryValue>>) };
}

/** Checks the names of headers; the values are texts or secrets. */
export function checkedHeaders(field: string, value: unknown): Readonly<Record<string, TextOrSecret>> {
  const headers = textsOrSecrets(field, value);
  for (const [name, entry] of Object.entries(headers)) {
    headerName(field, name);
    checkTemplateOrSecret(`${field}.${name}`, entry);
  }
  return headers;
}

function checkTemplateOrSecret(field: string, value: unknown): void {
  checkTextOrSecret(field, value);
  if (!isSecretReference(value)) checkTemplate(field, String(value));
}

function headerName(field: string, name: unknown): string {
  if (typeof name !== 'string' || !/^[\w!#$%&'*+.^`|~-]+$/.test(name)) throw misuse(field, name, 'give the name of a header');
  if (/^(?:host|content-length|transfer-encoding|connection)$/i.test(name))
    throw misuse(field, name, 'the request sets this header: remove it');
  return name;
}

function checkBody(field: string, value: unknown): void {
  if (typeof value === 'string') checkTemplate(field, value);
  else if (typeof value === 'object' && value !== null)
    for (const [name, entry] of Object.entries(value)) checkBody(`${field}.${name}`, entry);
  else if (typeof value === 'function' || typeof value === 'symbol' || typeof value === 'bigint') throw misuse(field, value, 'give JSON');
}
