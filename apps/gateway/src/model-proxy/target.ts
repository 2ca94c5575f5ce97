/**
 * Owns the target URL of a request.
 *
 * Invariants
 * 1. The URL is below the provider's base URL, whatever the path contains.
 * 2. It contains no credentials of the client's query.
 */
import type { ModelProvider } from '@holdfast/manifest';
import { type ModelProxySettings, modelProviders } from './settings.ts';

export interface Target {
  readonly provider: ModelProvider;
  readonly url: string;
}

/** Why a request has no target. The provider, if known, determines the form of the error. */
export interface NoTarget {
  readonly provider: ModelProvider | undefined;
  readonly status: 400 | 404;
  readonly message: string;
}

type Bases = ReadonlyMap<ModelProvider, URL>;

const prefixPattern = /^\/([^/]*)(\/.*)?$/s;
const secretParameters: ReadonlySet<string> = new Set([
  'key',
  'api_key',
  'api-key',
  'apikey',
  'access_token',
  'auth_token',
  'token',
  'authorization',
]);

/** @throws TypeError for an invalid base URL */
export function baseUrls({ models }: Pick<ModelProxySettings, 'models'>): Bases {
  const given = modelProviders.flatMap((provider) => {
    const entry = models[provider];
    return entry === undefined ? [] : [[provider, baseUrl(`models.${provider}.baseUrl`, entry.baseUrl)] as const];
  });
  return new Map(given);
}

function baseUrl(field: string, value: string): URL {
  const invalidUrl = (hint: string): TypeError => new TypeError(`${field} is '${value}': ${hint}`);
  if (!URL.canParse(value)) throw invalidUrl('use a URL such as https://api.example.com/v1');
  const url = new URL(value);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw invalidUrl('use an http or https URL');
  // The value itself may be secret.
  if (url.username !== '' || url.password !== '')
    throw new TypeError(`${field} contains a user or password: set them in headers, from the environment`);
  return url;
}

export function targetOf(path: string, search: string, bases: Bases): Target | NoTarget {
  const [, prefix = '', rest = '/'] = prefixPattern.exec(path) ?? [];
  const provider = modelProviders.find((name) => name === prefix);
  if (provider === undefined) return { provider, status: 404, message: `Unknown path. Models are at ${rootsOf(bases)}.` };
  const base = bases.get(provider);
  if (base === undefined) return { provider, status: 404, message: `The gateway has no models.${provider} in its configuration.` };
  if (escapesFolder(rest))
    return { provider, status: 400, message: 'The path of this request is refused: it contains dot segments or control characters.' };
  const inside = provider === 'openai' ? afterVersion(rest) : rest;
  if (inside === undefined) return { provider, status: 404, message: 'Unknown path: those of OpenAI start with /openai/v1/.' };
  return { provider, url: joinPath(base, inside, search) };
}

export const isTarget = (value: Target | NoTarget): value is Target => 'url' in value;

const rootsOf = (bases: Bases): string =>
  [...bases.keys()].map((provider) => (provider === 'openai' ? '/openai/v1' : `/${provider}`)).join(', ') || 'no path: none are configured';

const afterVersion = (rest: string): string | undefined => /^\/v1(\/.*)?$/s.exec(rest)?.[1] ?? (rest === '/v1' ? '/' : undefined);

/** Whether a server could interpret it as a path outside of the folder, even if it decodes several times. */
function escapesFolder(rest: string): boolean {
  let plain = rest;
  for (let pass = 0; pass < 6; pass++) {
    const decoded = plain.replaceAll(/%([0-9a-f]{2})/gi, (_whole, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
    if (decoded === plain) break;
    plain = decoded;
  }
  const hasControls = Array.from(plain).some((character) => character < ' ' || character === '\u007F');
  return hasControls || plain.split(/[/\\]/).some((segment) => /^\.{1,2}(?:;.*)?$/.test(segment));
}

function joinPath(base: URL, inside: string, search: string): string {
  const url = new URL(base);
  const folder = base.pathname.replace(/\/+$/, '');
  // A base URL may end with the version that the client also sends.
  const version = /\/v\d+[a-z]*\d*$/.exec(folder)?.[0];
  const doubled = version !== undefined && (inside === version || inside.startsWith(`${version}/`));
  url.pathname = `${folder}${doubled ? inside.slice(version.length) || '/' : inside}`;
  if (!url.pathname.startsWith(`${folder}/`)) throw new Error('the path is outside the base URL');
  const query = [base.search.slice(1), withoutSecrets(search)].filter((part) => part !== '').join('&');
  url.search = query;
  url.hash = '';
  return url.href;
}

/** Removes secret parameters; everything else is unchanged. */
function withoutSecrets(search: string): string {
  const parts = search.replace(/^\?/, '').split('&');
  return parts.filter((part) => part !== '' && !secretParameters.has(nameOf(part))).join('&');
}

function nameOf(part: string): string {
  const [name = ''] = part.split('=');
  try {
    return decodeURIComponent(name.replaceAll('+', ' ')).trim().toLowerCase();
  } catch {
    return name.toLowerCase();
  }
}
