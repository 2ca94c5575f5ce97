/** Streamable HTTP since 2026-07-28: stateless requests, headers that repeat the body, subscriptions. */
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { recordingHandler } from './support/handler.ts';
import { eventually, modern, modernMeta, startHttp } from './support/http-server.ts';

const version = 'io.modelcontextprotocol/protocolVersion';
const subscriptionId = 'io.modelcontextprotocol/subscriptionId';

test('a result has its type and the server info, keeps the fields of the handler, and is not cacheable', async () => {
  await using server = await startHttp(recordingHandler());
  const listed = (await server.send(modern(1, 'tools/list'))).json();
  expect(listed.result).toMatchObject({
    resultType: 'complete',
    'x-list': true,
    ttlMs: 0,
    cacheScope: 'private',
    _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'seen', version: '1.0.0' } },
  });
  expect(listed.result).toHaveProperty(['tools', 0, 'x-kept'], { anything: [1, null] });
  const called = (await server.send(modern(2, 'tools/call', { name: 'echo' }))).json();
  expect(called.result).toMatchObject({ resultType: 'complete', 'x-result': 'kept' });
  expect(called.result).not.toHaveProperty('ttlMs');
});

test('result type, cache settings and server info set by the handler are kept', async () => {
  const said = {
    resultType: 'input_required',
    inputRequests: {},
    requestState: 'a\u0000b',
    _meta: { kept: 1, 'io.modelcontextprotocol/serverInfo': { name: 'other' } },
  };
  await using server = await startHttp({ ...recordingHandler(), handle: () => Promise.resolve(said) });
  expect((await server.send(modern(1, 'tools/call', { name: 'echo' }))).json().result).toEqual(said);
  await using cached = await startHttp({
    ...recordingHandler(),
    handle: () => Promise.resolve({ tools: [], ttlMs: 5, cacheScope: 'public' }),
  });
  expect((await cached.send(modern(1, 'tools/list'))).json().result).toMatchObject({ ttlMs: 5, cacheScope: 'public' });
});

test('discovery returns versions, capabilities in the form of the era, and instructions', async () => {
  await using server = await startHttp({
    handle: () => Promise.resolve({}),
    describe: () => ({
      serverInfo: { name: 'd' },
      capabilities: { tools: {}, tasks: {}, resources: { subscribe: true, listChanged: true } },
    }),
  });
  expect((await server.send(modern(1, 'server/discover'))).json().result).toEqual({
    resultType: 'complete',
    supportedVersions: ['2026-07-28'],
    capabilities: { tools: {}, resources: { listChanged: true } },
    ttlMs: 60_000,
    cacheScope: 'private',
    _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'd' } },
  });
});

test('every request has its own client', async () => {
  const handler = recordingHandler();
  await using server = await startHttp(handler);
  server.principal = 'ann';
  const info = { 'io.modelcontextprotocol/clientInfo': { name: 'one' }, 'io.modelcontextprotocol/clientCapabilities': { sampling: {} } };
  await server.send(modern(1, 'tools/call', { name: 'echo' }, info));
  await server.send({
    ...modern(1, 'tools/call', { name: 'echo' }),
    headers: { ...modern(1, 'tools/call', { name: 'echo' }).headers, 'mcp-session-id': 'ignored' },
  });
  server.principal = undefined;
  await server.send(modern(1, 'tools/call', { name: 'echo' }));
  expect(
    handler.requests.map(({ client }) => [client.id, client.principal, client.info?.['name'], client.capabilities, 'ask' in client]),
  ).toEqual([
    ['http:ann', 'ann', 'one', { sampling: {} }, false],
    ['http:ann', 'ann', undefined, {}, false],
    ['http:', undefined, undefined, {}, false],
  ]);
});

const refusals: readonly [string, Record<string, string>, Record<string, unknown> | undefined, number, number][] = [
  ['no _meta', {}, undefined, 400, -32_602],
  ['no capabilities', {}, { [version]: '2026-07-28' }, 400, -32_602],
  ['no version', {}, { 'io.modelcontextprotocol/clientCapabilities': {} }, 400, -32_602],
  ['capabilities that are not an object', {}, { ...modernMeta, 'io.modelcontextprotocol/clientCapabilities': [] }, 400, -32_602],
  ['an unknown version', { 'mcp-protocol-version': '2031-01-01' }, { ...modernMeta, [version]: '2031-01-01' }, 400, -32_022],
  ['a version header that differs', { 'mcp-protocol-version': '2025-11-25' }, modernMeta, 400, -32_020],
  ['a method header that differs', { 'mcp-method': 'tools/list' }, modernMeta, 400, -32_020],
  ['a method header in other case', { 'mcp-method': 'TOOLS/CALL' }, modernMeta, 400, -32_020],
  ['a name header that differs', { 'mcp-name': 'other' }, modernMeta, 400, -32_020],
  ['a name header with invalid encoding', { 'mcp-name': '=?base64?ZWNobw?=' }, modernMeta, 400, -32_020],
  ['an unknown log level', {}, { ...modernMeta, 'io.modelcontextprotocol/logLevel': 'loud' }, 400, -32_602],
];

test.for(refusals)('refused before the handler is called: %s', async ([, headers, meta, status, code]) => {
  const handler = recordingHandler();
  await using server = await startHttp(handler);
  const params = { name: 'echo', arguments: {}, ...(meta === undefined ? {} : { _meta: meta }) };
  const usual = modern(1, 'tools/call', { name: 'echo' }).headers;
  const reply = await server.send({
    headers: { ...usual, ...headers },
    body: { jsonrpc: '2.0', id: 'mine', method: 'tools/call', params },
  });
  expect([reply.status, reply.json()]).toEqual([status, expect.objectContaining({ id: 'mine', error: expect.objectContaining({ code }) })]);
  expect(handler.requests).toEqual([]);
});

test('each required header is reported if missing', async () => {
  await using server = await startHttp(recordingHandler());
  const { headers, body } = modern(1, 'tools/call', { name: 'echo' });
  for (const missing of ['mcp-protocol-version', 'mcp-method', 'mcp-name']) {
    const reply = await server.send({ headers: Object.fromEntries(Object.entries(headers).filter(([name]) => name !== missing)), body });
    expect([missing, reply.status, reply.json().error?.code]).toEqual([missing, 400, -32_020]);
  }
  expect((await server.send({ headers, body })).status).toBe(200);
});

test('a name outside of ASCII is encoded, and compared decoded', async () => {
  await using server = await startHttp(recordingHandler());
  const uri = 'file:///日本.txt';
  const sent = modern(1, 'resources/read', { uri });
  const wrapped = { ...sent.headers, 'mcp-name': `=?base64?${Buffer.from(uri).toString('base64')}?=` };
  expect((await server.send({ headers: wrapped, body: sent.body })).json().error).toMatchObject({
    code: -32_602,
    message: 'Resource not found',
  });
});

test('arguments that a schema repeats in headers are compared, numbers by value', async () => {
  const inputSchema = {
    type: 'object',
    properties: {
      region: { type: 'string', 'x-mcp-header': 'Region' },
      count: { type: 'integer', 'x-mcp-header': 'Count' },
      deep: { type: 'object', properties: { flag: { type: 'boolean', 'x-mcp-header': 'Flag' } } },
      ['__proto__']: { type: 'string', 'x-mcp-header': 'Proto' },
      list: { type: 'array', items: { type: 'string', 'x-mcp-header': 'Never' } },
      bad: { type: 'string', 'x-mcp-header': 'not a token' },
    },
  };
  await using server = await startHttp({ ...recordingHandler(), inputSchema: (name) => (name === 'echo' ? inputSchema : undefined) });
  const outcome = async (args: object, headers: Record<string, string>): Promise<number> => {
    const sent = modern(1, 'tools/call', { name: 'echo', arguments: args });
    return (await server.send({ headers: { ...sent.headers, ...headers }, body: sent.body })).status;
  };
  expect(await outcome({}, {})).toBe(200);
  expect(await outcome({ region: null, bad: 'x', list: ['x'] }, {})).toBe(200);
  expect(
    await outcome(
      { region: 'eu', count: 42, deep: { flag: true } },
      { 'mcp-param-region': 'eu', 'Mcp-Param-Count': '42.0', 'mcp-param-flag': 'true' },
    ),
  ).toBe(200);
  expect(await outcome({ region: 'eu' }, {})).toBe(400);
  expect(await outcome({ region: 'eu' }, { 'mcp-param-region': 'us' })).toBe(400);
  expect(await outcome({}, { 'mcp-param-region': 'us' })).toBe(400);
  expect(await outcome({ count: 42 }, { 'mcp-param-count': '0x2a' })).toBe(400);
  expect(await outcome({ region: 'é' }, { 'mcp-param-region': '=?base64?w6k=?=' })).toBe(200);
  expect(await outcome({ region: 'é' }, { 'mcp-param-region': '=?base64?w6k?=' })).toBe(400);
  expect(await outcome({ region: { a: 1 } }, {})).toBe(200);
});

test('methods that the era removed, or never had, are not found', async () => {
  await using server = await startHttp(recordingHandler());
  for (const method of [
    'initialize',
    'ping',
    'logging/setLevel',
    'resources/subscribe',
    'resources/unsubscribe',
    'no/such',
    '__proto__',
    'constructor',
  ]) {
    const reply = await server.send(modern('x', method));
    expect([method, reply.status, reply.json()['id'], reply.json().error?.code]).toEqual([method, 404, 'x', -32_601]);
  }
});

test('errors of the handler are sent with the HTTP status of the modern era', async () => {
  await using server = await startHttp(recordingHandler());
  expect(await server.send(modern(1, 'tools/call', { name: 'refuse' }))).toMatchObject({ status: 200 });
  const broken = await server.send(modern(2, 'tools/call', { name: 'break' }));
  expect(broken.text).toBe('{"jsonrpc":"2.0","id":2,"error":{"code":-32603,"message":"Internal error"}}');
});

test('only POST is allowed, with one message per request; responses of the client are refused', async () => {
  await using server = await startHttp(recordingHandler());
  const { headers, body } = modern(1, 'tools/list');
  for (const method of ['GET', 'DELETE'])
    expect(await server.send({ method, headers })).toMatchObject({ status: 405, headers: { allow: 'POST' } });
  for (const method of ['PUT', 'PATCH', 'HEAD', 'OPTIONS']) expect((await server.send({ method })).status).toBe(405);
  expect(await server.send({ headers, body: [body] })).toMatchObject({ status: 400 });
  expect(await server.send({ headers, body: { jsonrpc: '2.0', id: 1, result: {} } })).toMatchObject({ status: 400 });
  expect(
    await server.send({ headers, body: { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } } }),
  ).toMatchObject({ status: 202, text: '' });
});

test('requested progress and logs make the answer a stream, without ids', async () => {
  await using server = await startHttp(recordingHandler());
  const stream = await server.open(modern(1, 'tools/call', { name: 'progress' }, { progressToken: 'p' }));
  await stream.ended;
  expect(stream.events().map(({ id }) => id)).toEqual([undefined, undefined, undefined, undefined]);
  expect(stream.events().at(-1)?.message).toMatchObject({ id: 1, result: { resultType: 'complete' } });
  const silent = await server.send(modern(2, 'tools/call', { name: 'log' }));
  expect(silent.headers['content-type']).toBe('application/json');
  const loud = await server.open(modern(3, 'tools/call', { name: 'log' }, { 'io.modelcontextprotocol/logLevel': 'error' }));
  await loud.ended;
  expect(loud.events().map(({ message }) => (message?.['params'] as { data?: string } | undefined)?.data)).toEqual(['loud', undefined]);
});

test('a disconnect is a cancellation, with or without a stream', async () => {
  const handler = recordingHandler();
  await using server = await startHttp(handler, { keepAliveMs: 30 });
  const stream = await server.open(modern(1, 'tools/call', { name: 'wait' }));
  await eventually(() => stream.raw().includes(':'));
  stream.abort();
  await handler.aborted('wait');
  const other = recordingHandler();
  await using quick = await startHttp(other);
  const { headers, body } = modern(1, 'tools/call', { name: 'wait' });
  const socket = connect(Number(quick.url.port), '127.0.0.1');
  const text = JSON.stringify(body);
  const head = Object.entries({ host: 'x', 'content-type': 'application/json', ...headers, 'content-length': text.length }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  socket.write(`POST /mcp HTTP/1.1\r\n${head.join('')}\r\n${text}`);
  await eventually(() => other.requests.length === 1);
  socket.destroy();
  await other.aborted('wait');
  await eventually(() => quick.transport.status().requestsInFlight === 0);
});

test('a subscription is acknowledged, receives what it requested, and ends gracefully', async () => {
  const handler = recordingHandler();
  await using server = await startHttp(handler, { keepAliveMs: 30 });
  const filter = { toolsListChanged: true, promptsListChanged: true, unknown: true, resourceSubscriptions: ['test://a', 'secret:b'] };
  const stream = await server.open(modern('sub', 'subscriptions/listen', { notifications: filter }));
  expect((await stream.until(1))[0]?.message).toEqual({
    jsonrpc: '2.0',
    method: 'notifications/subscriptions/acknowledged',
    params: { notifications: { toolsListChanged: true, resourceSubscriptions: ['test://a'] }, _meta: { [subscriptionId]: 'sub' } },
  });
  for (const [method, params] of [
    ['notifications/prompts/list_changed', {}],
    ['notifications/message', { level: 'emergency', data: 'not here' }],
    ['notifications/resources/updated', { uri: 'secret:b' }],
    ['notifications/resources/updated', { uri: 'test://a' }],
    ['notifications/tools/list_changed', {}],
  ] as const)
    server.transport.publish(method, params);
  expect((await stream.until(3)).slice(1).map(({ message }) => message?.['params'])).toEqual([
    { uri: 'test://a', _meta: { [subscriptionId]: 'sub' } },
    { _meta: { [subscriptionId]: 'sub' } },
  ]);
  await eventually(() => stream.raw().includes('\n:\n'));
  await server.transport.close(0);
  await stream.ended;
  expect(stream.events().at(-1)?.message).toMatchObject({
    id: 'sub',
    result: { resultType: 'complete', _meta: { [subscriptionId]: 'sub' } },
  });
  expect(handler.watched).toEqual([]);
});

test('subscriptions are limited; the end of one makes room', async () => {
  const handler = recordingHandler();
  await using server = await startHttp(handler, { subscriptions: 1 });
  const listen = modern(1, 'subscriptions/listen', { notifications: { resourceSubscriptions: ['test://a'] } });
  const stream = await server.open(listen);
  await stream.until(1);
  expect(await server.send(listen)).toMatchObject({ status: 503 });
  expect((await server.send({ ...listen, headers: { ...listen.headers, accept: 'application/json' } })).status).toBe(406);
  stream.abort();
  await eventually(() => server.transport.status().subscriptions === 0 && handler.watched.length === 0);
  await (await server.open(listen)).until(1);
  await using other = await startHttp(handler);
  for (const params of [
    {},
    { notifications: [] },
    { notifications: { resourceSubscriptions: 'x' } },
    { notifications: { resourceSubscriptions: [1] } },
  ])
    expect((await other.send(modern(1, 'subscriptions/listen', params))).json().error?.code).toBe(-32_602);
  expect(other.transport.status().subscriptions).toBe(0);
});

test('a subscription that opens slowly counts from its start, and stops watching if its client has disconnected meanwhile', async () => {
  const handler = recordingHandler();
  let proceed = (): void => {};
  await using server = await startHttp(
    {
      ...handler,
      watchResource: async (uri, client) => {
        await new Promise<void>((resolve) => {
          proceed = resolve;
        });
        return (await handler.watchResource?.(uri, client)) as () => void;
      },
    },
    { subscriptions: 1 },
  );
  const { headers, body } = modern(1, 'subscriptions/listen', { notifications: { resourceSubscriptions: ['test://a'] } });
  const socket = connect(Number(server.url.port), '127.0.0.1');
  const text = JSON.stringify(body);
  const head = Object.entries({ host: 'x', 'content-type': 'application/json', ...headers, 'content-length': text.length }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  socket.write(`POST /mcp HTTP/1.1\r\n${head.join('')}\r\n${text}`);
  await eventually(() => server.transport.status().subscriptions === 1);
  expect(await server.send({ headers, body })).toMatchObject({ status: 503 });
  socket.destroy();
  await eventually(() => server.transport.status().subscriptions === 0);
  proceed();
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(handler.watched).toEqual([]);
});
