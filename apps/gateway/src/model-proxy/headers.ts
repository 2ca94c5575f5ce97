/**
 * Owns which headers go through.
 *
 * Invariants
 * 1. No credential of the client goes to a provider, and no secret of the gateway comes back.
 * 2. What belongs to one connection stays on it.
 */
import type { ModelEntry, ModelProvider } from '@holdfast/manifest';
import type { TextOrSecret } from '@holdfast/runners';

/** Of one connection, in both directions. */
const ofConnection: ReadonlySet<string> = new Set([
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

/** About the client's own surroundings, or for the gateway alone. Encodings are the business of each connection. */
const ofClient =
  /^(?:host|expect|origin|referer|forwarded|via|accept-encoding|x-real-ip|true-client-ip|cf-connecting-ip|x-forwarded-.*|sec-.*|http2-settings)$/;

const credential =
  /(?:^|[-_])(?:authorization|api[-_]?keys?|subscription-key|cookie2?|tokens?|secret|password|credentials?|auth|jwt|session)$/;

/** Would set something at the client that is meant for the provider's own pages. */
const ofPages = /^(?:set-cookie2?|alt-svc|strict-transport-security|public-key-pins|clear-site-data|nel|report-to|access-control-.*)$/;

const keyHeaders: Readonly<Record<ModelProvider, (key: string) => readonly [string, string]>> = {
  openai: (key) => ['authorization', `Bearer ${key}`],
  anthropic: (key) => ['x-api-key', key],
  gemini: (key) => ['x-goog-api-key', key],
};

/** The headers for the provider: the client's without credentials, then those of the configuration. */
export function outgoingHeaders(given: Headers, provider: ModelProvider, secrets: RevealedEntry): Headers {
  const named = namedByConnection(given);
  const headers = new Headers();
  for (const [name, value] of given) {
    if (ofConnection.has(name) || named.has(name) || ofClient.test(name) || credential.test(name)) continue;
    headers.append(name, value);
  }
  // Pieces of a stream arrive as they were sent, and nothing has to be unpacked to be read.
  headers.set('accept-encoding', 'identity');
  if (secrets.apiKey !== undefined) headers.set(...keyHeaders[provider](secrets.apiKey));
  for (const [name, value] of secrets.headers) headers.set(name, value);
  return headers;
}

/** The headers for the client. */
export function incomingHeaders(given: Headers, secrets: RevealedEntry): Headers {
  const named = namedByConnection(given);
  const headers = new Headers();
  for (const [name, value] of given) {
    if (ofConnection.has(name) || named.has(name) || ofPages.test(name) || holdsSecret(value, secrets)) continue;
    headers.append(name, value);
  }
  // What fetch has unpacked is shorter or longer than it was said to be.
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

/** The secrets of one entry, as they are now. */
export interface RevealedEntry {
  readonly apiKey: string | undefined;
  readonly headers: readonly (readonly [string, string])[];
  /** All that must not be shown. */
  readonly values: readonly string[];
}

/** Which environment variable is missing, or the values. */
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
