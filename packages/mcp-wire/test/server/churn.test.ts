/** Clients that connect and disconnect in every way concurrently: afterwards nothing of them is left. */
import { request as httpRequest } from 'node:http';
import { expect, test } from 'vitest';
import { recordingHandler } from './support/handler.ts';
import {
  call,
  eventually,
  performHandshake,
  type HttpServerUnderTest,
  modern,
  type SendOptions,
  startHttp,
} from './support/http-server.ts';

/** Always the same numbers, so that a failure can be repeated. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) % below;
  };
}

test('after clients have connected and disconnected in every way, nothing runs, listens, watches or is kept', async () => {
  const handler = recordingHandler();
  await using server = await startHttp(handler, { keepAliveMs: 20 });
  const next = numbers(7);
  const gone: Promise<void>[] = [];
  for (let round = 0; round < 60; round++) {
    const { headers } = await performHandshake(server);
    const listen = modern(round, 'subscriptions/listen', {
      notifications: { toolsListChanged: true, resourceSubscriptions: [`test://${round}`] },
    });
    const ways: readonly SendOptions[] = [
      { headers, body: call(1, 'wait') },
      { headers, body: { ...call(2, 'progress'), params: { name: 'progress', _meta: { progressToken: 1 } } } },
      { headers, body: call(3, 'ask') },
      { method: 'GET', headers },
      { headers, body: { jsonrpc: '2.0', id: 4, method: 'resources/subscribe', params: { uri: 'test://x' } } },
      modern(round, 'tools/call', { name: 'wait' }),
      modern(round, 'tools/call', { name: 'progress' }, { progressToken: 2 }),
      listen,
      { headers, body: '{' },
    ];
    for (const way of ways) gone.push(leave(server, way, next(40)));
    server.transport.publish('notifications/tools/list_changed', {});
    if (next(3) > 0) gone.push(leave(server, { method: 'DELETE', headers }, 50));
  }
  await Promise.all(gone);
  handler.release();
  await eventually(() => server.transport.status().subscriptions === 0);
  await server.transport.close(0);
  expect(server.transport.status()).toEqual({ sessions: 0, subscriptions: 0, requestsInFlight: 0 });
  expect(handler.watched).toEqual([]);
  expect(handler.gone).toHaveLength(60);
  expect(handler.levels.at(-1)).toBeUndefined();
  expect(server.faults).toEqual([]);
});

/** Sends a request and breaks its connection after a while, whatever has arrived. */
function leave(server: HttpServerUnderTest, { method = 'POST', headers = {}, body }: SendOptions, afterMs: number): Promise<void> {
  return new Promise((resolve) => {
    const usual = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    const request = httpRequest(server.url, { method, headers: { ...usual, ...headers }, agent: false }, (response) => response.resume());
    request.on('error', () => {});
    request.on('close', () => resolve());
    request.end(typeof body === 'string' ? body : JSON.stringify(body));
    setTimeout(() => request.destroy(), afterMs);
  });
}
