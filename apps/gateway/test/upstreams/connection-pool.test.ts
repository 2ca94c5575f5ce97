/** Connections of an isolated server: how many there are, who makes room, and that the gateway's own runs no calls. */
import type { McpServer } from '@holdfast/runners';
import { parseManifest } from '@holdfast/manifest';
import { expect, test } from 'vitest';
import type { OnBehalf } from '../../src/access/on-behalf.ts';
import { ConnectionPool } from '../../src/upstreams/connection-pool.ts';
import { HeldServer } from '../../src/upstreams/held-server.ts';

const client = (owner: string, session?: string): OnBehalf => ({ principal: owner, owner, session });
const never = (): Promise<never> => new Promise(() => {});
const ignore = (): void => {};

const connection = (name: string): McpServer =>
  ({ name, subscribe: () => ignore, close: () => Promise.resolve(), status: () => ({ state: 'idle' }) }) as unknown as McpServer;

function openPool(limit?: number): ConnectionPool {
  const more = limit === undefined ? {} : { limit };
  return new ConnectionPool({ name: 'x', make: connection, onNotification: ignore, onFault: ignore, ...more });
}

test('a server has at most 100 connections, and one client at most 80 of them; further calls fail with MCP_SERVER_BUSY', async () => {
  const pool = openPool();
  const use = (owner: string, key: number): Promise<unknown> => pool.use(`${owner}-${key}`, client(owner), never);
  const busy = { code: 'MCP_SERVER_BUSY' };
  for (let key = 0; key < 80; key += 1) void use('alice', key);
  await expect(use('alice', 80)).rejects.toMatchObject(busy);
  for (let key = 0; key < 16; key += 1) void use('bob', key);
  for (const owner of ['carol', 'dave', 'erin', 'frank']) void use(owner, 0);
  expect(pool.size).toBe(100);
  await expect(use('grace', 0)).rejects.toMatchObject(busy);
  await pool.close();
});

test('an idle connection makes room, one that is in use does not', async () => {
  const pool = openPool(2);
  void pool.use('used', client('alice'), never);
  await pool.use('idle', client('bob'), () => Promise.resolve());
  await pool.use('new', client('carol'), () => Promise.resolve());
  expect([pool.get('used'), pool.get('idle'), pool.get('new')].map((each) => each !== undefined)).toEqual([true, false, true]);
  await pool.close();
});

test.each(['per_principal', 'per_session'])("the gateway's own connection runs no calls (%s)", async (isolation) => {
  const { manifest } = parseManifest(JSON.stringify({ mcp_servers: { x: { command: 'x', isolation } } }), { file: '/srv/holdfast.yaml' });
  const entry = manifest?.mcpServers['x'];
  if (entry === undefined) throw new Error('no entry');
  const made: McpServer[] = [];
  const held = new HeldServer(
    'x',
    entry,
    { command: 'x' },
    {
      makeServer() {
        made.push(connection(String(made.length)));
        return made.at(-1) as McpServer;
      },
      onFault: ignore,
      onNotification: ignore,
      onStatus: ignore,
    },
  );
  const used: unknown[] = [];
  const run = (server: McpServer): Promise<unknown> => Promise.resolve(used.push(server));
  for (const who of [
    client('alice', 's1'),
    client('bob', 's2'),
    client('alice', 's1'),
    { principal: undefined, owner: undefined, session: undefined },
  ])
    await held.upstream.use?.(who, run);
  const [own, ...others] = made;
  expect(held.upstream.server).toBe(own);
  expect(used).not.toContain(own);
  expect(new Set(used)).toEqual(new Set(others));
  expect(others).toHaveLength(3);
  await held.close();
});
