/** The official clients in default settings, over a kill and a restart, and over two gateways without affinity. */
import { Client as V2Client, StreamableHTTPClientTransport as V2Http } from '@modelcontextprotocol/client';
import { Client as V1Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as V1Http } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { describe, expect, test } from 'vitest';
import { type GatewayProcess, startGatewayProcess, writeWords } from '../fixtures/gateway.ts';
import { boardServer, secrets } from './people.ts';

const info = { name: 'host', version: '1.0.0' };
const requestInit = { headers: { authorization: `Bearer ${secrets.alice}` } };
const environment = { ALICE_TOKEN: secrets.alice, BOB_TOKEN: secrets.bob, SESSION_KEY: 'session-key-0123456789-0123456789' };

type Fetch = typeof globalThis.fetch;

interface Client {
  readonly call: () => Promise<string>;
  readonly close: () => Promise<void>;
}

const textOf = (result: unknown): string => (result as { content: { text: string }[] }).content[0]?.text ?? '';

/** A shared connection, one for each client, and one for each session. */
const isolations = { board: 'shared', own: 'per_principal', session: 'per_session' } as const;

/** Calls a tool of each server; the answer is the same of all, or names the odd ones. */
async function callEach(call: (name: string) => Promise<unknown>): Promise<string> {
  const texts = await Promise.all(Object.keys(isolations).map(async (server) => textOf(await call(`${server}__recall`))));
  return [...new Set(texts)].join(', ');
}

const clients: Readonly<Record<string, (url: string, through?: Fetch) => Promise<Client>>> = {
  async v1(url, through) {
    const client = new V1Client(info, { capabilities: { roots: { listChanged: true } } });
    await client.connect(new V1Http(new URL(url), { requestInit, ...(through ? { fetch: through } : {}) }) as never);
    return { call: () => callEach((name) => client.callTool({ name })), close: () => client.close() };
  },
  async v2(url, through) {
    const client = new V2Client(info, { capabilities: { elicitation: {} } });
    await client.connect(new V2Http(new URL(url), { requestInit, ...(through ? { fetch: through } : {}) }));
    return { call: () => callEach((name) => client.callTool({ name })), close: () => client.close() };
  },
};

const tokens = [
  { name: 'alice', env: 'ALICE_TOKEN' },
  { name: 'bob', env: 'BOB_TOKEN' },
];
const words = (gateway: object = {}): Promise<string> =>
  writeWords({
    mcp_servers: Object.fromEntries(Object.entries(isolations).map(([name, isolation]) => [name, boardServer({ isolation })])),
    gateway: { tokens, reload: false, ...gateway },
  });

describe.each(Object.keys(clients))('SDK %s', (sdk) => {
  const connect = clients[sdk] as (typeof clients)[string];

  test('goes on calling within two seconds after kill -9 and a restart', { timeout: 60_000 }, async () => {
    const manifest = await words();
    const first = await startGatewayProcess(manifest, environment);
    const client = await connect(first.url);
    expect(await client.call()).toBe('last: nothing');
    first.child.kill('SIGKILL');
    await first.ended;
    await using second = await startGatewayProcess(manifest, environment, new URL(first.url).port);
    const readyAt = performance.now();
    for (let text = ''; text !== 'last: nothing';) text = await client.call().catch(() => '');
    expect(performance.now() - readyAt).toBeLessThan(2_000);
    for (let count = 0; count < 5; count += 1) expect(await client.call()).toBe('last: nothing');
    expect(second.output()).not.toContain(secrets.alice);
    await client.close();
  });

  test('calls at two gateways in turn, with the key of the manifest and no affinity', { timeout: 60_000 }, async () => {
    const shared = { session_key: { env: 'SESSION_KEY' } };
    await using one = await startGatewayProcess(await words(shared), environment);
    await using other = await startGatewayProcess(await words(shared), environment);
    const gateways: readonly GatewayProcess[] = [one, other];
    let requests = 0;
    const inTurn: Fetch = (_url, init) => fetch(gateways[(requests += 1) % 2]?.url ?? '', init);
    const client = await connect(one.url, inTurn);
    for (let count = 0; count < 20; count += 1) expect(await client.call()).toBe('last: nothing');
    await client.close();
  });
});

test('a session key that is short or missing is refused, with the fix', { timeout: 30_000 }, async () => {
  const manifest = await words({ session_key: { env: 'SESSION_KEY' } });
  for (const key of ['', 'x'.repeat(31)])
    await expect(startGatewayProcess(manifest, { ...environment, SESSION_KEY: key })).rejects.toThrow(/gateway\.session_key.*at least 32/);
});
