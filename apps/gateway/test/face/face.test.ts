import { describe, expect, test } from 'vitest';
import type { FaceRequest, JsonObject, ServerFace } from '@holdfast/mcp-wire/server';
import { createMethodRouter } from '../../src/composition/method-router.ts';
import type { Relay } from '../../src/relay/relay.ts';
import { faceClient, faceRequest, world } from '../relay/fake-server.ts';

const tools = Array.from({ length: 1_001 }, (_, index) => ({
  definition: { name: `t${index}`, inputSchema: { title: index }, 'x-y': 1 },
  source: { kind: 'mcp', server: 'one', tool: `t${index}` },
}));

type Call = (request: FaceRequest) => Promise<JsonObject>;
const naming: Call = async ({ params }) => ({ called: params['name'] });

function faceOf(count: number, relay: Relay = world({}).relay, handle: Call = naming): ServerFace {
  let isReady = false;
  const offered = tools.slice(0, count);
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

describe('the face', () => {
  test('lists the tools once the catalog is ready', async () => {
    expect(await faceOf(2).handle(faceRequest('tools/list'))).toEqual({
      tools: [
        { name: 't0', inputSchema: { title: 0 }, 'x-y': 1 },
        { name: 't1', inputSchema: { title: 1 }, 'x-y': 1 },
      ],
      ttlMs: 0,
      cacheScope: 'private',
    });
  });

  test('lists very many tools in pages, and refuses unknown cursors', async () => {
    const face = faceOf(1_001);
    const first = await face.handle(faceRequest('tools/list'));
    expect(first['tools']).toHaveLength(1_000);
    const second = await face.handle(faceRequest('tools/list', { cursor: first['nextCursor'] }));
    expect(second).toEqual({ tools: [tools[1_000]?.definition], ttlMs: 0, cacheScope: 'private' });
    await expect(face.handle(faceRequest('tools/list', { cursor: 'x' }))).rejects.toMatchObject({ code: -32_602 });
  });

  test('passes calls on, knows the schemas of tools, and passes everything else to the relay', async () => {
    const face = faceOf(1, world({ one: { answers: { 'x/y': { z: 1 } } } }).relay);
    expect(await face.handle(faceRequest('tools/call', { name: 't0' }))).toEqual({ called: 't0' });
    expect(await face.handle(faceRequest('x/y'))).toEqual({ z: 1 });
    expect(face.inputSchema?.('t0', faceClient())).toEqual({ title: 0 });
    expect(face.inputSchema?.('t1', faceClient())).toBeUndefined();
    expect(await face.describe(faceClient())).toMatchObject({ serverInfo: { name: 'holdfast' } });
  });

  test('notifies the relay of every client that has sent a request, including a call', async () => {
    const { relay } = world({ one: {} });
    const face = faceOf(1, relay);
    const client = faceClient({ capabilities: { roots: {} }, ask: async () => ({ roots: [] }) });
    await face.describe(client);
    await expect(relay.answer('one', 'roots/list', {})).rejects.toMatchObject({ code: -32_601 });
    await face.handle(faceRequest('tools/call', {}, { client }));
    expect(await relay.answer('one', 'roots/list', {})).toEqual({ roots: [] });
    face.clientGone?.(client);
    await expect(relay.answer('one', 'roots/list', {})).rejects.toMatchObject({ code: -32_601 });
  });

  test('a modern call gets the log messages of its server during the call, if it wants them', async () => {
    const { relay, servers } = world({ one: {}, two: {} });
    const log = { level: 'info', data: 'x' };
    const face = faceOf(1, relay, async () => {
      for (const name of ['one', 'two']) servers[name]?.notification('notifications/message', log);
      return {};
    });
    const client = faceClient({ era: 'modern' });
    const logsFor = async (more: Partial<FaceRequest>): Promise<unknown> => {
      const request = faceRequest('tools/call', { name: 't0' }, more);
      await face.handle(request);
      servers['one']?.notification('notifications/message', log);
      return request.notifications;
    };
    expect(await logsFor({ client, logLevel: 'info' })).toEqual([{ method: 'notifications/message', params: { ...log, logger: 'one' } }]);
    expect(await logsFor({ client })).toEqual([]);
    expect(await logsFor({ logLevel: 'info' })).toEqual([]);
  });
});
