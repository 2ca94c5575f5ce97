/** Owns a gateway with people who log in to a server in their browsers. */
import { randomBytes } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished, vi } from 'vitest';
import { type GatewayInProcess, startGateway } from '../fixtures/gateway.ts';
import { startWorld, type World, type WorldOptions } from '../server-auth/fixtures/world.ts';

interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  readonly headers: Headers;
}

/** A browser with a dashboard, and the token of a person. */
interface Browser {
  readonly cookies: Map<string, string>;
  readonly api: (method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>) => Promise<Answer>;
  /** Begins a login; resolves to the address of the authorization server. */
  readonly begin: (whose: 'gateway' | 'caller', more?: Readonly<Record<string, unknown>>) => Promise<string>;
  readonly open: (url: string | URL) => Promise<{ readonly status: number; readonly text: string; readonly headers: Headers }>;
}

export interface Scene {
  readonly world: World;
  readonly gateway: GatewayInProcess;
  /** Where the gateway listens. */
  readonly origin: string;
  readonly browser: (person?: string) => Browser;
}

export interface SceneOptions {
  readonly world?: WorldOptions;
  readonly server?: Readonly<Record<string, unknown>>;
  /** Servers besides `crm`. */
  readonly others?: Readonly<Record<string, unknown>>;
  readonly settings?: Readonly<Record<string, unknown>>;
  /** People with a token, and their roles. @default none */
  readonly people?: Readonly<Record<string, readonly string[]>>;
  /** The folder of the built dashboard. @default an empty folder */
  readonly dashboard?: string;
}

export async function openScene({
  world: options,
  server,
  others = {},
  settings,
  people = {},
  dashboard,
}: SceneOptions = {}): Promise<Scene> {
  vi.stubEnv('HOLDFAST_CREDENTIALS_KEY', randomBytes(32).toString('base64'));
  for (const name of Object.keys(people)) vi.stubEnv(`TOKEN_OF_${name.toUpperCase()}`, secretOf(name));
  const world = await startWorld(options);
  const tokens = Object.entries(people).map(([name, roles]) => ({ name, env: `TOKEN_OF_${name.toUpperCase()}`, roles }));
  const words = {
    mcp_servers: { crm: { url: world.url, auth: 'oauth', protocol: 'legacy', ...server }, ...others },
    gateway: { reload: false, ...(tokens.length > 0 && { tokens }), ...settings },
  };
  const gateway = await startGateway(words, { dashboard: { folder: dashboard ?? (await mkdtemp(join(tmpdir(), 'holdfast-page-'))) } });
  onTestFinished(async () => {
    await gateway[Symbol.asyncDispose]();
    await world[Symbol.asyncDispose]();
    vi.unstubAllEnvs();
  });
  const { origin } = new URL(gateway.url);
  return { world, gateway, origin, browser: (person) => openBrowser(origin, person) };
}

export const secretOf = (person: string): string => `token-of-${person}-0123456789`;

type Sent = Omit<RequestInit, 'headers'> & { readonly headers?: Readonly<Record<string, string>> };

function openBrowser(origin: string, person: string | undefined): Browser {
  const cookies = new Map<string, string>();
  const own = person === undefined ? {} : { authorization: `Bearer ${secretOf(person)}` };
  const send = async (url: string | URL, init: Sent): Promise<Response> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await fetch(url, { ...init, redirect: 'manual', headers: { ...init.headers, ...(cookie === '' ? {} : { cookie }) } });
    for (const line of answer.headers.getSetCookie()) {
      const [name = '', value = ''] = (line.split(';', 1)[0] ?? '').split('=', 2);
      if (/max-age=0/i.test(line)) cookies.delete(name);
      else cookies.set(name, value);
    }
    return answer;
  };
  const api: Browser['api'] = async (method, path, body, headers) => {
    const answer = await send(`${origin}${path}`, {
      method,
      headers: { ...own, ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: answer.status, headers: answer.headers, body: (await answer.json()) as Answer['body'] };
  };
  return {
    cookies,
    api,
    async begin(whose, more = {}) {
      const { status, body } = await api('POST', '/v1/logins/crm', { for: whose, ...more }, { origin });
      if (status !== 201) throw new Error(JSON.stringify(body));
      return String(body['url']);
    },
    async open(url) {
      const answer = await send(url, {});
      return { status: answer.status, headers: answer.headers, text: await answer.text() };
    },
  };
}

/** Sends `tools/call` as a person, without a session. */
export async function call(url: string, person?: string): Promise<string> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: {
      ...(person === undefined ? {} : { authorization: `Bearer ${secretOf(person)}` }),
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'crm__who', arguments: {} } }),
  });
  return answer.text();
}
