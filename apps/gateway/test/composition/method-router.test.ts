import { describe, expect, test } from 'vitest';
import type { ClientRequest, JsonObject, ServerHandler } from '@holdfast/mcp-wire/server';
import { createMethodRouter } from '../../src/composition/method-router.ts';
import type { Relay } from '../../src/relay/relay.ts';
import { connectedClient, clientRequest, world } from '../relay/fake-server.ts';

const tools = Array.from({ length: 1_001 }, (_, index) => ({
  name: `t${index}`,
  definition: { name: `t${index}`, inputSchema: { title: index }, 'x-y': 1 },
  source: { kind: 'mcp', server: 'one', tool: `t${index}` },
}));

type Call = (request: ClientRequest) => Promise<JsonObject>;
const naming: Call = async ({ params }) => ({ called: params['name'] });

const routerOf = (count: number, relay: Relay = world({}).relay, handle: Call = naming): ServerHandler =>
  routerOver(tools.slice(0, count), relay, handle);

function routerOver(offered: typeof tools, relay: Relay = world({}).relay, handle: Call = naming): ServerHandler {
  let isReady = false;
  return createMethodRouter({
    catalog: {
      ready: async () => void (isReady = true),
      list: () => (isReady ? offered : []),
      get: (name) => offered.find(({ definition }) => definition.name === name),
    },
    calls: { handle },
    relay,
  });
}

describe('the router', () => {
  test('lists the tools once the catalog is ready', async () => {
    expect(await routerOf(2).handle(clientRequest('tools/list'))).toEqual({
      tools: [
        { name: 't0', inputSchema: { title: 0 }, 'x-y': 1 },
        { name: 't1', inputSchema: { title: 1 }, 'x-y': 1 },
      ],
      ttlMs: 0,
      cacheScope: 'private',
    });
  });

  test('lists very many tools in pages, and refuses unknown cursors', async () => {
    const router = routerOf(1_001);
    const first = await router.handle(clientRequest('tools/list'));
    expect(first['tools']).toHaveLength(1_000);
    const second = await router.handle(clientRequest('tools/list', { cursor: first['nextCursor'] }));
    expect(second).toEqual({ tools: [tools[1_000]?.definition], ttlMs: 0, cacheScope: 'private' });
    await expect(router.handle(clientRequest('tools/list', { cursor: 'x' }))).rejects.toMatchObject({ code: -32_602 });
  });

  test('lists large definitions on pages of at most a million bytes', async () => {
    const large = tools
      .slice(0, 5)
      .map(({ definition, ...tool }) => ({ ...tool, definition: { ...definition, description: 'x'.repeat(400_000) } }));
    const router = routerOver(large);
    const sizes: number[] = [];
    for (let cursor: unknown, isLast = false; !isLast;) {
      const page = await router.handle(clientRequest('tools/list', cursor === undefined ? {} : { cursor }));
      sizes.push((page['tools'] as unknown[]).length);
      cursor = page['nextCursor'];
      isLast = cursor === undefined;
    }
    expect(sizes).toEqual([2, 2, 1]);
  });

  test('passes calls on, knows the schemas of tools, and passes everything else to the relay', async () => {
    const router = routerOf(1, world({ one: { answers: { 'x/y': { z: 1 } } } }).relay);
    expect(await router.handle(clientRequest('tools/call', { name: 't0' }))).toEqual({ called: 't0' });
    expect(await router.handle(clientRequest('x/y'))).toEqual({ z: 1 });
    expect(router.inputSchema?.('t0', connectedClient())).toEqual({ title: 0 });
    expect(router.inputSchema?.('t1', connectedClient())).toBeUndefined();
    expect(await router.describe(connectedClient())).toMatchObject({ serverInfo: { name: 'holdfast' } });
  });

  test('notifies the relay of every client that has sent a request, including a call', async () => {
    const { relay } = world({ one: {} });
    const router = routerOf(1, relay);
    const client = connectedClient({ capabilities: { roots: {} }, ask: async () => ({ roots: [] }) });
    await router.describe(client);
    await expect(relay.answer('one', 'roots/list', {})).rejects.toMatchObject({ code: -32_601 });
    await router.handle(clientRequest('tools/call', {}, { client }));
    expect(await relay.answer('one', 'roots/list', {})).toEqual({ roots: [] });
    router.clientGone?.(client);
    await expect(relay.answer('one', 'roots/list', {})).rejects.toMatchObject({ code: -32_601 });
  });

  test('a modern call gets the log messages of its server during the call, if it wants them', async () => {
    const { relay, servers } = world({ one: {}, two: {} });
    const log = { level: 'info', data: 'x' };
    const router = routerOf(1, relay, async () => {
      for (const name of ['one', 'two']) servers[name]?.notification('notifications/message', log);
      return {};
    });
    const client = connectedClient({ era: 'modern' });
    const logsFor = async (more: Partial<ClientRequest>): Promise<unknown> => {
      const request = clientRequest('tools/call', { name: 't0' }, more);
      await router.handle(request);
      servers['one']?.notification('notifications/message', log);
      return request.notifications;
    };
    expect(await logsFor({ client, logLevel: 'info' })).toEqual([{ method: 'notifications/message', params: { ...log, logger: 'one' } }]);
    expect(await logsFor({ client })).toEqual([]);
    expect(await logsFor({ logLevel: 'info' })).toEqual([]);
  });
});
