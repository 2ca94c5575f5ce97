/** Sessions over Streamable HTTP up to 2025-11-25: their owner, lifetime and number. */
import { expect, test } from 'vitest';
import { recordingHandler } from './support/handler.ts';
import { call, eventually, performHandshake, startHttp } from './support/http-server.ts';

test('a session must exist, belong to the same principal and have a supported version', async () => {
  await using server = await startHttp(recordingHandler());
  server.principal = 'ann';
  const { headers } = await performHandshake(server);
  const body = call(1, 'echo');
  expect(await server.send({ headers: { 'mcp-session-id': 'nobody' }, body })).toMatchObject({ status: 404 });
  expect(await server.send({ headers: { ...headers, 'mcp-protocol-version': '2019-01-01' }, body })).toMatchObject({ status: 400 });
  expect(await server.send({ headers: { 'mcp-session-id': headers['mcp-session-id'] as string }, body })).toMatchObject({ status: 200 });
  server.principal = 'bob';
  for (const method of ['POST', 'GET', 'DELETE'])
    expect(await server.send({ method, headers, ...(method === 'POST' ? { body } : {}) })).toMatchObject({ status: 404 });
  server.principal = undefined;
  expect(await server.send({ headers, body })).toMatchObject({ status: 404 });
});

test('a deleted session does not exist any more, and all its requests have ended', async () => {
  const handler = recordingHandler();
  await using server = await startHttp(handler);
  const { headers } = await performHandshake(server);
  await server.send({ headers, body: { jsonrpc: '2.0', id: 1, method: 'resources/subscribe', params: { uri: 'test://a' } } });
  const listening = await server.open({ method: 'GET', headers });
  const waiting = server.send({ headers, body: call(2, 'wait') });
  await eventually(() => handler.requests.length === 1);
  expect(await server.send({ method: 'DELETE', headers })).toMatchObject({ status: 204, text: '' });
  await handler.aborted('wait');
  await listening.ended;
  expect((await waiting).json()).toMatchObject({ id: 2, error: { code: -32_800 } });
  expect(handler.watched).toEqual([]);
  expect(handler.gone.map(({ id }) => id)).toEqual([headers['mcp-session-id']]);
  expect(await server.send({ headers, body: call(3, 'echo') })).toMatchObject({ status: 404 });
  expect(await server.send({ method: 'DELETE', headers })).toMatchObject({ status: 404 });
  expect(server.transport.status()).toEqual({ sessions: 0, subscriptions: 0, requestsInFlight: 0 });
});

test('an unused session expires; one with an open stream does not', async () => {
  const handler = recordingHandler();
  await using server = await startHttp(handler, { sessionIdleMs: 700 });
  const idle = await performHandshake(server);
  const kept = await performHandshake(server);
  const stream = await server.open({ method: 'GET', headers: kept.headers });
  await eventually(() => handler.gone.length === 1);
  expect(handler.gone[0]?.id).toBe(idle.id);
  await new Promise((resolve) => setTimeout(resolve, 1500));
  expect(await server.send({ headers: kept.headers, body: call(1, 'echo') })).toMatchObject({ status: 200 });
  stream.abort();
  await eventually(() => handler.gone.length === 2);
});

test('the session idle for longest is dropped; if all are in use, a handshake is refused', async () => {
  const handler = recordingHandler();
  await using server = await startHttp(handler, { sessions: 2 });
  const first = await performHandshake(server);
  await new Promise((resolve) => setTimeout(resolve, 5));
  const second = await performHandshake(server);
  await new Promise((resolve) => setTimeout(resolve, 5));
  await server.send({ headers: first.headers, body: call(1, 'echo') });
  const third = await performHandshake(server);
  expect(handler.gone.map(({ id }) => id)).toEqual([second.id]);
  await server.open({ method: 'GET', headers: first.headers });
  await server.open({ method: 'GET', headers: third.headers });
  const refused = await server.send(initialize);
  expect(refused).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
  expect(refused.headers['mcp-session-id']).toBeUndefined();
  // The dropped session is valid, but there is no room for it.
  expect(await server.send({ headers: second.headers, body: call(2, 'echo') })).toMatchObject({ status: 503 });
});

test('a principal with many sessions takes neither the sessions nor the place of another', async () => {
  const handler = recordingHandler();
  await using server = await startHttp(handler, { sessions: 10 });
  server.principal = 'bob';
  const idle = await performHandshake(server);
  server.principal = 'ann';
  let opened = 0;
  for (let attempt = 0; attempt < 20; attempt += 1) {
    const { headers, status } = await server.send(initialize);
    if (status !== 200) continue;
    opened += 1;
    await server.open({ method: 'GET', headers: { 'mcp-session-id': headers['mcp-session-id'] as string } });
  }
  expect(opened).toBeLessThan(9);
  server.principal = 'bob';
  expect(await server.send({ headers: idle.headers, body: call(1, 'echo') })).toMatchObject({ status: 200 });
  server.principal = 'eve';
  expect(await server.send(initialize)).toMatchObject({ status: 200 });
  expect(handler.gone).toEqual([]);
});

test('a principal with many running requests leaves room for another', async () => {
  const handler = recordingHandler();
  await using server = await startHttp(handler, { inFlight: 10 });
  server.principal = 'ann';
  const { headers } = await performHandshake(server);
  let refused = 0;
  const waiting = Array.from({ length: 20 }, async (_, index) => {
    const { status } = await server.send({ headers, body: call(index, 'wait') });
    if (status === 503) refused += 1;
  });
  await eventually(() => handler.requests.length + refused === 20);
  expect(handler.requests).toHaveLength(8);
  server.principal = 'bob';
  const other = await performHandshake(server);
  expect(await server.send({ headers: other.headers, body: call(1, 'echo') })).toMatchObject({ status: 200 });
  handler.release();
  await Promise.all(waiting);
  server.principal = 'ann';
  expect(await server.send({ headers, body: call(1, 'echo') })).toMatchObject({ status: 200 });
});

test('sessions of principals that have lost access end, and all other sessions go on', async () => {
  const handler = recordingHandler();
  await using server = await startHttp(handler);
  server.principal = 'ann';
  const ann = await performHandshake(server);
  const stream = await server.open({ method: 'GET', headers: ann.headers });
  server.principal = 'bob';
  const bob = await performHandshake(server);
  server.transport.retain((principal) => principal === 'bob');
  await stream.ended;
  expect(handler.gone.map(({ id }) => id)).toEqual([ann.id]);
  expect(await server.send({ headers: bob.headers, body: call(1, 'echo') })).toMatchObject({ status: 200 });
});

const initialize = { body: { jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25' } } };
