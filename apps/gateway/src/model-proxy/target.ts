/**
 * Owns where a request goes.
 *
 * Invariants
 * 1. The address lies under the provider's base address, whatever the path says.
 * 2. Credentials of the client in the query do not get into it.
 */
import type { ModelProvider } from '@holdfast/manifest';
import { type ModelProxySettings, modelProviders } from './settings.ts';

export interface Target {
  readonly provider: ModelProvider;
  readonly url: string;
}

/** Why a request goes nowhere. The provider, where it is known, says in whose form that is told. */
export interface NoTarget {
  readonly provider: ModelProvider | undefined;
  readonly status: 400 | 404;
  readonly message: string;
}

type Bases = ReadonlyMap<ModelProvider, URL>;

const rooms = /^\/([^/]*)(\/.*)?$/s;
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

/** @throws TypeError for a base address that can never work. */
export function baseUrls({ models }: Pick<ModelProxySettings, 'models'>): Bases {
  const given = modelProviders.flatMap((provider) => {
    const entry = models[provider];
    return entry === undefined ? [] : [[provider, baseUrl(`models.${provider}.baseUrl`, entry.baseUrl)] as const];
  });
  return new Map(given);
}

function baseUrl(field: string, value: string): URL {
  const wrong = (hint: string): TypeError => new TypeError(`${field} is '${value}': ${hint}`);
  if (!URL.canParse(value)) throw wrong('give an address such as https://api.example.com/v1');
  const url = new URL(value);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw wrong('give an http or https address');
  // The value itself may be secret.
  if (url.username !== '' || url.password !== '')
    throw new TypeError(`${field} has a user or password in it: give them in headers, from the environment`);
  return url;
}

export function targetOf(path: string, search: string, bases: Bases): Target | NoTarget {
  const [, room = '', rest = '/'] = rooms.exec(path) ?? [];
  const provider = modelProviders.find((name) => name === room);
  if (provider === undefined)
    return { provider, status: 404, message: `There is nothing at this address. Models are at ${rootsOf(bases)}.` };
  const base = bases.get(provider);
  if (base === undefined) return { provider, status: 404, message: `The gateway has no models.${provider} in its configuration.` };
  if (leaves(rest))
    return { provider, status: 400, message: 'The path of this request is refused: it has dot segments or control characters.' };
  const inside = provider === 'openai' ? afterVersion(rest) : rest;
  if (inside === undefined) return { provider, status: 404, message: 'There is nothing at this address: OpenAI begins with /openai/v1/.' };
  return { provider, url: joinPath(base, inside, search) };
}

export const isTarget = (value: Target | NoTarget): value is Target => 'url' in value;

const rootsOf = (bases: Bases): string =>
  [...bases.keys()].map((provider) => (provider === 'openai' ? '/openai/v1' : `/${provider}`)).join(', ') ||
  'no address: none is configured';

const afterVersion = (rest: string): string | undefined => /^\/v1(\/.*)?$/s.exec(rest)?.[1] ?? (rest === '/v1' ? '/' : undefined);

/** Whether some server could read another folder out of it, however often it decodes. */
function leaves(rest: string): boolean {
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
  // A base address may end with the version that the client sends too.
  const version = /\/v\d+[a-z]*\d*$/.exec(folder)?.[0];
  const doubled = version !== undefined && (inside === version || inside.startsWith(`${version}/`));
  url.pathname = `${folder}${doubled ? inside.slice(version.length) || '/' : inside}`;
  if (!url.pathname.startsWith(`${folder}/`)) throw new Error('the path leaves the base address');
  const query = [base.search.slice(1), withoutSecrets(search)].filter((part) => part !== '').join('&');
  url.search = query;
  url.hash = '';
  return url.href;
}

/** All else stays as it was written. */
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
