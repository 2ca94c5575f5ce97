/**
 * Owns which headers are forwarded.
 *
 * Invariants
 * 1. No credential of the client is sent to a provider, and no secret of the gateway is sent to a client.
 * 2. Headers of a single connection are not forwarded.
 */
import type { ModelEntry, ModelProvider } from '@holdfast/manifest';
import type { TextOrSecret } from '@holdfast/runners';

/** Headers of a single connection, in both directions. */
const connectionHeaders: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authentication-info',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Headers about the client's environment, or for the gateway only. Encodings are negotiated per connection. */
const clientHeaders =
  /^(?:host|expect|origin|referer|forwarded|via|accept-encoding|x-real-ip|true-client-ip|cf-connecting-ip|x-forwarded-.*|sec-.*|http2-settings)$/;

const credential =
  /(?:^|[-_])(?:authorization|api[-_]?keys?|subscription-key|cookie2?|tokens?|secret|password|credentials?|auth|jwt|session)$/;

/** Headers that are meant for browsers on the provider's own pages. */
const browserHeaders =
  /^(?:set-cookie2?|alt-svc|strict-transport-security|public-key-pins|clear-site-data|nel|report-to|access-control-.*)$/;

const keyHeaders: Readonly<Record<ModelProvider, (key: string) => readonly [string, string]>> = {
  openai: (key) => ['authorization', `Bearer ${key}`],
  anthropic: (key) => ['x-api-key', key],
  gemini: (key) => ['x-goog-api-key', key],
};

/** Returns the headers for the provider: the client's without credentials, then those of the configuration. */
export function outgoingHeaders(given: Headers, provider: ModelProvider, secrets: RevealedEntry): Headers {
  const named = namedByConnection(given);
  const headers = new Headers();
  for (const [name, value] of given) {
    if (connectionHeaders.has(name) || named.has(name) || clientHeaders.test(name) || credential.test(name)) continue;
    headers.append(name, value);
  }
  // Without compression, parts of a stream are forwarded at once and can be read directly.
  headers.set('accept-encoding', 'identity');
  if (secrets.apiKey !== undefined) headers.set(...keyHeaders[provider](secrets.apiKey));
  for (const [name, value] of secrets.headers) headers.set(name, value);
  return headers;
}

/** Returns the headers for the client. */
export function incomingHeaders(given: Headers, secrets: RevealedEntry): Headers {
  const named = namedByConnection(given);
  const headers = new Headers();
  for (const [name, value] of given) {
    if (connectionHeaders.has(name) || named.has(name) || browserHeaders.test(name) || holdsSecret(value, secrets)) continue;
    headers.append(name, value);
  }
  // The length of a body that fetch has decompressed differs from the header.
  if (isUnpacked(given.get('content-encoding'))) {
    headers.delete('content-encoding');
    headers.delete('content-length');
  }
  return headers;
}

const unpacked = /^(?:x-gzip|gzip|deflate|br|zstd)$/;

const isUnpacked = (encoding: string | null): boolean =>
  encoding !== null && encoding.split(',').every((one) => unpacked.test(one.trim().toLowerCase()));

function namedByConnection(headers: Headers): ReadonlySet<string> {
  const names = (headers.get('connection') ?? '').split(',').map((name) => name.trim().toLowerCase());
  return new Set(names);
}

/** The current secrets of one entry. */
export interface RevealedEntry {
  readonly apiKey: string | undefined;
  readonly headers: readonly (readonly [string, string])[];
  /** All values that must not be shown. */
  readonly values: readonly string[];
}

/** Returns the values, or the name of a missing environment variable. */
export function reveal(
  { apiKey, headers }: Pick<ModelEntry, 'apiKey' | 'headers'>,
  environment: NodeJS.ProcessEnv,
): RevealedEntry | { readonly missing: string } {
  const values: string[] = [];
  const missing: string[] = [];
  const read = (value: TextOrSecret): string => {
    const text = typeof value === 'string' ? value : (environment[value.env] ?? '');
    if (typeof value !== 'string' && text === '') missing.push(value.env);
    if (typeof value !== 'string' && text !== '') values.push(text);
    return typeof value === 'string' ? value : `${value.prefix ?? ''}${text}`;
  };
  const key = apiKey === undefined ? undefined : read(apiKey);
  const pairs = Object.entries(headers).map(([name, value]) => [name, read(value)] as const);
  const [first] = missing;
  return first === undefined ? { apiKey: key, headers: pairs, values: values.filter((value) => value.length >= 4) } : { missing: first };
}

export const holdsSecret = (text: string, { values }: RevealedEntry): boolean => values.some((value) => text.includes(value));
