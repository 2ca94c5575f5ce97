import { rpcError } from '@holdfast/mcp-wire/server';
import { describe, expect, test } from 'vitest';
import { undividedAccess } from '../../src/access/access.ts';
import { down, connectedClient, clientRequest, lost, never, resources, templates, world } from './fake-server.ts';

const modern = connectedClient({ era: 'modern', protocolVersion: '2026-07-28' });
const read = (uri: unknown, more = {}) => clientRequest('resources/read', { uri }, more);
const has = (...uris: readonly string[]) => ({
  'resources/list': resources(...uris),
  'resources/read': ({ uri }: { readonly uri?: unknown }) => {
    if (!uris.includes(String(uri))) throw rpcError(-32_002, 'Resource not found', { uri });
    return { contents: [{ uri, text: `of ${String(uri)}` }] };
  },
});
const readParams = (server: { readonly received: readonly { readonly method: string; readonly params: object }[] } | undefined) =>
  server?.received.filter(({ method }) => method === 'resources/read').map(({ params }) => params);

describe('resources/read', () => {
  test('goes to the server that lists the URI, even without an earlier list', async () => {
    const { relay, servers } = world({ one: { answers: has('o://1') }, two: { answers: has('t://1') } });
    expect(await relay.handle(read('t://1'))).toEqual({ contents: [{ uri: 't://1', text: 'of t://1' }], ttlMs: 0, cacheScope: 'private' });
    expect(readParams(servers['one'])).toEqual([]);
  });

  test('goes to the only server at once', async () => {
    const { relay, servers } = world({ one: { answers: has('o://1') } });
    await relay.handle(read('o://1'));
    expect(servers['one']?.methods()).toEqual(['resources/read']);
  });

  test('of a URI that several list, to the first', async () => {
    const { relay, servers } = world({ one: { answers: has('same://x') }, two: { answers: has('same://x') } });
    await relay.handle(read('same://x'));
    expect([readParams(servers['one'])?.length, readParams(servers['two'])?.length]).toEqual([1, 0]);
  });

  test('of an unlisted URI goes to servers with a matching template, the most specific first', async () => {
    const { relay, servers } = world({
      any: { answers: { 'resources/templates/list': templates('{+path}'), 'resources/read': { contents: [] } } },
      none: { answers: { 'resources/templates/list': templates('x://{id}'), 'resources/read': { contents: [] } } },
      file: { answers: { 'resources/templates/list': templates('file:///{path}'), 'resources/read': { contents: [] } } },
    });
    await relay.handle(read('file:///a'));
    expect([readParams(servers['any']), readParams(servers['none'])]).toEqual([[], []]);
    expect(readParams(servers['file'])).toEqual([{ uri: 'file:///a' }]);
  });

  test('of a URI without a matching template tries all servers; the one that has it is tried first later', async () => {
    const hidden = { ...has('secret://1'), 'resources/list': resources() };
    const { relay, servers } = world({ one: { answers: has() }, two: { answers: hidden }, tools: { capabilities: {} } });
    expect(await relay.handle(read('secret://1'))).toMatchObject({ contents: [{ text: 'of secret://1' }] });
    await relay.handle(read('secret://1'));
    expect([readParams(servers['one'])?.length, readParams(servers['two'])?.length]).toEqual([1, 2]);
    expect(servers['tools']?.methods()).toEqual([]);
  });

  test('of an unknown URI is not found, with the code of the client’s era', async () => {
    const scripts = { one: { answers: has() }, two: { answers: has() } };
    await expect(world(scripts).relay.handle(read('n://1'))).rejects.toMatchObject({ code: -32_002, data: { uri: 'n://1' } });
    await expect(world(scripts).relay.handle(read('n://1', { client: modern }))).rejects.toMatchObject({
      code: -32_602,
      data: { uri: 'n://1' },
    });
    await expect(world({}).relay.handle(read('n://1', { client: modern }))).rejects.toMatchObject({ code: -32_602 });
  });

  test('of an unknown URI is not reported as missing while a server that may have it is down', async () => {
    const { relay } = world({
      one: { answers: has() },
      two: { answers: { 'resources/list': resources(), 'resources/read': () => Promise.reject(down(9_000)) } },
    });
    await expect(relay.handle(read('n://1'))).rejects.toMatchObject({
      code: -32_603,
      data: { 'dev.holdfast/error': { server: 'two', code: 'MCP_SERVER_DOWN', retryable: true, retryAfterMs: 9_000 } },
    });
  });

  test('one that hangs while several are tried leaves time for the others', async () => {
    const { relay } = world(
      {
        hung: { answers: { 'resources/list': resources(), 'resources/read': never } },
        two: { answers: { ...has('t://1'), 'resources/list': resources() } },
      },
      { limits: { requestMs: 300 } },
    );
    expect(await relay.handle(read('t://1'))).toMatchObject({ contents: [{ text: 'of t://1' }] });
  });

  test('keeps the caching hints of the server, and all other fields', async () => {
    const result = { contents: [], ttlMs: 5, cacheScope: 'public', 'x-else': { deep: 1 }, _meta: { a: 1 } };
    const { relay } = world({ one: { answers: { 'resources/read': result } } });
    expect(await relay.handle(read('o://1'))).toEqual(result);
  });

  test.each([
    ['for clients that are kept apart', { keepsApart: () => true }, {}],
    ['of an isolated server', { entry: () => ', isolation: per_principal' }, {}],
    [
      'for a client that may not use all tools',
      { tools: [{ name: 'one__a', source: { kind: 'mcp', server: 'one' } }] },
      { client: connectedClient({ access: { ...undividedAccess('ada'), allowsAll: false } }) },
    ],
  ])('%s is private', async (_title, options, more) => {
    const result = { contents: [], ttlMs: 5, cacheScope: 'public' };
    const { relay } = world({ one: { answers: { 'resources/read': result } } }, options);
    expect(await relay.handle(read('o://1', more))).toEqual({ ...result, cacheScope: 'private' });
  });

  test('of a spilled result is answered by the gateway', async () => {
    const { relay, servers } = world(
      { one: { answers: has() } },
      { readSpilled: async (uri) => (uri.endsWith('/1') ? { contents: [{ uri, text: 'large' }] } : undefined) },
    );
    expect(await relay.handle(read('holdfast://results/1'))).toMatchObject({ contents: [{ text: 'large' }], ttlMs: 0 });
    await expect(relay.handle(read('holdfast://results/2'))).rejects.toMatchObject({ code: -32_002 });
    await expect(relay.handle(read('holdfast://results/2', { client: modern }))).rejects.toMatchObject({ code: -32_602 });
    expect(servers['one']?.methods()).toEqual([]);
  });

  test.each([undefined, 1, null, {}])('with the uri %j is refused', async (uri) => {
    await expect(world({}).relay.handle(read(uri))).rejects.toMatchObject({ code: -32_602 });
  });
});

describe('a forwarded request has', () => {
  test('the params with unknown fields, without keys of this connection', async () => {
    const { relay, servers } = world({ one: { answers: has('o://1') } });
    const meta = { progressToken: 1, 'io.modelcontextprotocol/protocolVersion': '2026-07-28', traceparent: '00-1', 'com.example/x': 2 };
    await relay.handle(clientRequest('resources/read', { uri: 'o://1', extra: [1], _meta: meta }));
    await relay.handle(clientRequest('resources/read', { uri: 'o://1', _meta: { progressToken: 1 } }));
    expect(readParams(servers['one'])).toEqual([
      { uri: 'o://1', extra: [1], _meta: { traceparent: '00-1', 'com.example/x': 2 } },
      { uri: 'o://1' },
    ]);
  });

  test('the client info, its capabilities, and the log level', async () => {
    const { relay, servers } = world({ one: { answers: has('o://1') } });
    const client = connectedClient({ info: { name: 'me' }, capabilities: { roots: {} } });
    await relay.handle(read('o://1', { client, logLevel: 'error' }));
    expect(servers['one']?.received[0]?.options).toMatchObject({
      clientInfo: { name: 'me' },
      clientCapabilities: { roots: {} },
      logLevel: 'error',
    });
  });

  test('its progress and notifications on the request, with named loggers if there are several servers', async () => {
    const answers = {
      'resources/list': resources('o://1'),
      'resources/read': (
        _params: object,
        options: { onProgress?: ((p: object) => void) | undefined; onNotification?: ((m: string, p: object) => void) | undefined },
      ) => {
        options.onProgress?.({ progress: 1 });
        options.onNotification?.('notifications/message', { level: 'info', logger: 'db', data: 'x' });
        options.onNotification?.('notifications/message', { level: 'info', data: 'x' });
        return { contents: [] };
      },
    } as never;
    const request = read('o://1', { wantsProgress: true });
    await world({ one: { answers }, two: {} }).relay.handle(request);
    expect(request.progress).toEqual([{ progress: 1 }]);
    expect(request.notifications.map(({ params }) => params['logger'])).toEqual(['one/db', 'one']);
    const alone = read('o://1');
    await world({ one: { answers } }).relay.handle(alone);
    expect(alone.progress).toEqual([]);
    expect(alone.notifications.map(({ params }) => params['logger'])).toEqual(['db', undefined]);
  });
});

describe('requests that fail', () => {
  const failing = (...errors: readonly unknown[]) => {
    const left = [...errors];
    return { 'resources/read': () => (left.length === 0 ? { contents: [] } : Promise.reject(left.shift() as Error)) };
  };

  test('a read is retried once after a lost or refused connection, or a short restart', async () => {
    for (const error of [
      lost(),
      down(0),
      down(20),
      Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }),
      Object.assign(new Error('HTTP 503'), { code: 'HTTP_STATUS', status: 503 }),
    ]) {
      const { relay, servers } = world({ one: { answers: failing(error) } });
      expect(await relay.handle(read('o://1'))).toMatchObject({ contents: [] });
      expect(servers['one']?.methods()).toHaveLength(2);
    }
  });

  test('it is not retried twice, not while the server is down for longer, and not after an answer', async () => {
    const tries = async (...errors: readonly unknown[]): Promise<unknown> => {
      const { relay, servers } = world({ one: { answers: failing(...errors) } });
      await expect(relay.handle(read('o://1'))).rejects.toMatchObject({ code: expect.any(Number) });
      return servers['one']?.methods().length;
    };
    expect(await tries(lost(), lost())).toBe(2);
    expect(await tries(down(5_000))).toBe(1);
    expect(await tries(rpcError(-32_603, 'broken'))).toBe(1);
    expect(await tries(Object.assign(new Error('too large'), { code: 'MCP_MESSAGE_TOO_LARGE' }))).toBe(1);
    expect(await tries(Object.assign(new Error('HTTP 401'), { code: 'HTTP_STATUS', status: 401 }))).toBe(1);
  });

  test('a request of an unknown method is sent once', async () => {
    let sent = 0;
    const answers = { 'x/do': () => Promise.reject(sent++ === 0 ? lost() : new Error('again')) };
    await expect(world({ one: { answers } }).relay.handle(clientRequest('x/do'))).rejects.toMatchObject({ code: -32_603 });
    expect(sent).toBe(1);
  });

  test('the deadline applies whatever the server does', async () => {
    let aborted: AbortSignal | undefined;
    const answers = {
      'resources/read': (_params: object, { signal }: { signal?: AbortSignal | undefined }) => {
        aborted = signal;
        return new Promise<never>(() => {});
      },
    };
    const { relay } = world({ one: { answers } }, { limits: { requestMs: 30 } });
    await expect(relay.handle(read('o://1'))).rejects.toMatchObject({
      code: -32_603,
      message: 'MCP server one: no answer within 30 ms',
      data: { 'dev.holdfast/error': { code: 'RELAY_DEADLINE', retryable: true, server: 'one' } },
    });
    expect(aborted?.aborted).toBe(true);
  });

  test('the deadline is that of the server’s tools if the manifest has one', async () => {
    const { relay } = world({ one: { answers: { 'resources/read': never } } }, { entry: () => ', defaults: { timeout_ms: 25 }' });
    await expect(relay.handle(read('o://1'))).rejects.toMatchObject({ message: 'MCP server one: no answer within 25 ms' });
  });

  test('a client that cancels gets its own reason, and the server is notified', async () => {
    let aborted: AbortSignal | undefined;
    const answers = {
      'resources/read': (_params: object, { signal }: { signal?: AbortSignal | undefined }) => {
        aborted = signal;
        return new Promise<never>(() => {});
      },
    };
    const controller = new AbortController();
    const answer = world({ one: { answers } }).relay.handle(read('o://1', { signal: controller.signal }));
    await Promise.resolve();
    controller.abort(new Error('cancelled'));
    await expect(answer).rejects.toThrow('cancelled');
    expect(aborted === undefined || aborted.aborted).toBe(true);
    await expect(world({ one: { answers } }).relay.handle(read('o://1', { signal: AbortSignal.abort(new Error('gone')) }))).rejects.toThrow(
      'gone',
    );
  });

  test('errors of the server keep code, message and data; secrets are redacted', async () => {
    const error = rpcError(-32_050, 'no: password=hunter2secret', { hint: ['api_key=abcdefgh12345678'], n: 1 });
    await expect(world({ one: { answers: failing(error) } }).relay.handle(read('o://1'))).rejects.toMatchObject({
      code: -32_050,
      message: 'no: password=[redacted]',
      data: { hint: ['api_key=[redacted]'], n: 1 },
    });
    const local = new Error('connect to https://me:hunter2@host failed');
    await expect(world({ one: { answers: failing(local, local) } }).relay.handle(read('o://1'))).rejects.toMatchObject({
      message: 'MCP server one: connect to https://[redacted]@host failed',
    });
  });
});
