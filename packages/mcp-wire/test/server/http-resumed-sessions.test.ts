/** Sessions that another process continues, requests without a session, and ids of sessions. */
import { expect, test, vi } from 'vitest';
import { SessionIds } from '../../src/server/http/session-ids.ts';
import { recordingHandler } from './support/handler.ts';
import { call, eventually, type HttpServerUnderTest, performHandshake, startHttp } from './support/http-server.ts';

const key = 'k'.repeat(32);
const capabilities = { sampling: {}, elicitation: { form: {} } };

/** Two servers with the same key, or one of them after a restart of the other. */
async function startPair(): Promise<readonly [HttpServerUnderTest, HttpServerUnderTest, ReturnType<typeof recordingHandler>]> {
  const handler = recordingHandler();
  return [await startHttp(recordingHandler(), {}, key), await startHttp(handler, {}, key), handler];
}

test('a session goes on at another process with the same key: version, capabilities and name of the client are known there', async () => {
  const [one, other, handler] = await startPair();
  const { id, headers } = await performHandshake(one, '2025-06-18', capabilities);
  await one[Symbol.asyncDispose]();
  await using second = other;
  expect(await second.send({ headers, body: call(1, 'echo', { text: 'hi' }) })).toMatchObject({ status: 200 });
  expect(handler.requests[0]?.client).toMatchObject({
    id,
    era: 'legacy',
    protocolVersion: '2025-06-18',
    capabilities,
    info: { name: 'test', version: '1' },
  });
  expect(handler.resumed.map((client) => client.id)).toEqual([id]);
});

test('its standalone stream goes on from an event of the other process, and announces lists that may have changed', async () => {
  const [one, other] = await startPair();
  const { headers } = await performHandshake(one);
  const before = await one.open({ method: 'GET', headers });
  for (const _ of [1, 2, 3]) one.transport.publish('notifications/tools/list_changed', {});
  const lastId = (await before.until(3)).at(-1)?.id as string;
  await one[Symbol.asyncDispose]();
  await using second = other;
  const stream = await second.open({ method: 'GET', headers: { ...headers, 'last-event-id': lastId } });
  const methods = (await stream.until(3)).map(({ message }) => message?.['method']);
  expect(methods).toEqual(['tools', 'prompts', 'resources'].map((list) => `notifications/${list}/list_changed`));
  second.transport.publish('notifications/tools/list_changed', {});
  expect((await stream.until(4))[3]?.message).toMatchObject({ method: 'notifications/tools/list_changed' });
});

test('subscriptions to resources and the log level are not known at the other process', async () => {
  const [one, other] = await startPair();
  const { headers } = await performHandshake(one);
  const uri = 'test://a';
  expect(await one.send({ headers, body: { jsonrpc: '2.0', id: 1, method: 'resources/subscribe', params: { uri } } })).toMatchObject({
    status: 200,
  });
  expect(
    await one.send({ headers, body: { jsonrpc: '2.0', id: 2, method: 'logging/setLevel', params: { level: 'debug' } } }),
  ).toMatchObject({ status: 200 });
  const before = await one.open({ method: 'GET', headers });
  const publish = ({ transport }: HttpServerUnderTest): void => {
    transport.publish('notifications/resources/updated', { uri });
    transport.publish('notifications/message', { level: 'debug', data: 'x' });
    transport.publish('notifications/tools/list_changed', {});
  };
  const methods = (events: Awaited<ReturnType<typeof before.until>>): readonly unknown[] =>
    events.map(({ message }) => message?.['method']);
  publish(one);
  expect(methods(await before.until(3))).toEqual(
    ['resources/updated', 'message', 'tools/list_changed'].map((name) => `notifications/${name}`),
  );
  await one[Symbol.asyncDispose]();
  await using second = other;
  const after = await second.open({ method: 'GET', headers });
  publish(second);
  await after.until(1);
  expect(methods(after.events())).not.toContain('notifications/resources/updated');
  expect(methods(after.events())).not.toContain('notifications/message');
});

test('a request whose stream was lost is answered with an error, so that its client does not wait', async () => {
  const [one, other] = await startPair();
  const { headers } = await performHandshake(one);
  const running = await one.open({ headers, body: call('request "7"', 'progress-and-wait', {}, { progressToken: 1 }) });
  const lastId = (await running.until(1)).at(-1)?.id as string;
  await one[Symbol.asyncDispose]();
  await using second = other;
  const stream = await second.open({ method: 'GET', headers: { ...headers, 'last-event-id': lastId } });
  await stream.ended;
  expect(stream.events()[0]?.message).toMatchObject({ id: 'request "7"', error: { code: -32_603 } });
});

test('another key, another principal, another endpoint, a changed id and a session that its client has ended: 404', async () => {
  await using server = await startHttp(recordingHandler(), {}, key);
  await using foreign = await startHttp(recordingHandler(), {}, 'x'.repeat(32));
  server.principal = 'ann';
  const { id, headers } = await performHandshake(server);
  const body = call(1, 'echo');
  foreign.principal = 'ann';
  expect(await foreign.send({ headers, body })).toMatchObject({ status: 404 });
  await using again = await startHttp(recordingHandler(), {}, key);
  for (const principal of ['bob', undefined, '', 'an']) {
    again.principal = principal;
    expect(await again.send({ headers, body })).toMatchObject({ status: 404 });
  }
  again.principal = 'ann';
  for (let at = 0; at < id.length; at += 7) {
    const changed = `${id.slice(0, at)}${id[at] === 'A' ? 'B' : 'A'}${id.slice(at + 1)}`;
    expect(await again.send({ headers: { 'mcp-session-id': changed }, body })).toMatchObject({ status: 404 });
  }
  expect(await server.send({ method: 'DELETE', headers })).toMatchObject({ status: 204 });
  expect(await server.send({ headers, body })).toMatchObject({ status: 404 });
  const ids = new SessionIds(key);
  const issued = ids.issue('2025-11-25', {}, { principal: 'ann', endpoint: 'files' });
  expect(ids.read(issued, { principal: 'ann', endpoint: 'files' })).toEqual({ protocolVersion: '2025-11-25', capabilities: {} });
  expect(ids.read(issued, { principal: 'ann' })).toBeUndefined();
});

test('an id fits into a header whatever the client declares', () => {
  const ids = new SessionIds(key);
  const declared = { sampling: {}, experimental: { much: 'x'.repeat(100_000) } };
  const id = ids.issue('2025-11-25', { capabilities: declared, clientInfo: { name: 'n'.repeat(10_000), icons: ['x'.repeat(9000)] } }, {});
  expect(id.length).toBeLessThan(6000);
  expect(ids.read(id, {})).toMatchObject({ capabilities: { sampling: {} } });
  const enormous = ids.issue('2025-11-25', { capabilities: { sampling: { much: 'x'.repeat(100_000) } } }, {});
  expect(ids.read(enormous, {})).toEqual({ protocolVersion: '2025-11-25', capabilities: {}, clientInfo: undefined });
  for (const text of ['', '.', '1..', '1.x.y.z', id.slice(1), `${id}.`, 'x'.repeat(100_000)]) expect(ids.read(text, {})).toBeUndefined();
});

test('ids of questions differ between processes: an answer never reaches the question of another one', async () => {
  const [one, other] = await startPair();
  await using first = one;
  await using second = other;
  const { headers } = await performHandshake(first, '2025-11-25', capabilities);
  const asked = await first.open({ headers, body: call(1, 'ask') });
  const question = (await asked.until(2)).at(-1)?.message;
  const elsewhere = await second.open({ headers, body: call(2, 'ask') });
  const otherQuestion = (await elsewhere.until(2)).at(-1)?.message;
  expect(question?.['id']).not.toBe(otherQuestion?.['id']);
});

test('a request without a session is answered; what needs one is refused', async () => {
  const handler = recordingHandler();
  await using server = await startHttp(handler);
  for (const headers of [{}, { 'mcp-protocol-version': '2025-06-18' }]) {
    const reply = await server.send({ headers, body: call(1, 'echo', { text: 'hi' }) });
    expect(reply).toMatchObject({ status: 200 });
    expect(reply.headers['mcp-session-id']).toBeUndefined();
  }
  expect(handler.requests.map(({ client }) => [client.protocolVersion, client.capabilities])).toEqual([
    ['2025-11-25', {}],
    ['2025-06-18', {}],
  ]);
  expect(handler.levels).toEqual([]);
  expect(await server.send({ body: { jsonrpc: '2.0', method: 'notifications/initialized' } })).toMatchObject({ status: 202 });
  expect(await server.send({ body: { jsonrpc: '2.0', id: 1, method: 'ping' } })).toMatchObject({ status: 200 });
  const subscribe = { jsonrpc: '2.0', id: 1, method: 'resources/subscribe', params: { uri: 'test://a' } };
  expect(await server.send({ body: subscribe })).toMatchObject({ status: 400 });
  expect(await server.send({ headers: { 'mcp-protocol-version': '2019-01-01' }, body: call(1, 'echo') })).toMatchObject({ status: 400 });
  expect(await server.send({ method: 'GET' })).toMatchObject({ status: 405 });
  expect(await server.send({ method: 'DELETE' })).toMatchObject({ status: 400 });
  expect(server.transport.status()).toMatchObject({ sessions: 0, requestsInFlight: 0 });
});

test('a request without a session is cancelled when its client disconnects', async () => {
  const handler = recordingHandler();
  await using server = await startHttp(handler);
  const stream = server.open({ body: call(1, 'progress-and-wait', {}, { progressToken: 1 }) });
  (await stream).abort();
  await handler.aborted('progress-and-wait');
  await eventually(() => server.transport.status().requestsInFlight === 0);
});

test("the machine's clock ends no session", async () => {
  const handler = recordingHandler();
  await using server = await startHttp(handler, { sessionIdleMs: 60_000, keepAliveMs: 60 });
  const { headers } = await performHandshake(server);
  const now = Date.now();
  const clock = vi.spyOn(Date, 'now').mockReturnValue(now + 7_200_000);
  try {
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(await server.send({ headers, body: call(1, 'echo') })).toMatchObject({ status: 200 });
    expect(handler.gone).toEqual([]);
  } finally {
    clock.mockRestore();
  }
});
