/** Streamable HTTP up to 2025-11-25: answers and streams, resuming, batches, limits. */
import { expect, test } from 'vitest';
import { recordingHandler } from './support/handler.ts';
import { call, eventually, performHandshake, modern, startHttp } from './support/http-server.ts';

const notify = (method: string, params = {}): Record<string, unknown> => ({ jsonrpc: '2.0', method, params });

test('an answer is one JSON object if no message precedes it', async () => {
  await using server = await startHttp(recordingHandler());
  const { headers } = await performHandshake(server);
  const reply = await server.send({ headers, body: call(1, 'echo', { a: 'ü' }) });
  expect(reply.status).toBe(200);
  expect(reply.headers).toMatchObject({ 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(reply.text)) });
  expect(reply.json()).toEqual({ jsonrpc: '2.0', id: 1, result: { content: [{ type: 'text', text: '{"a":"ü"}' }], 'x-result': 'kept' } });
});

test('an answer becomes a stream at the first message before it, and allows the client to resume', async () => {
  await using server = await startHttp(recordingHandler());
  const { headers } = await performHandshake(server);
  const body = { ...call(1, 'progress'), params: { name: 'progress', _meta: { progressToken: 7 } } };
  const stream = await server.open({ headers, body });
  await stream.ended;
  expect(stream.headers).toMatchObject({ 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' });
  expect(
    stream
      .events()
      .map(({ id, message }) => [placeOf(id), (message?.['params'] as { progress?: number } | undefined)?.progress ?? message?.['id']]),
  ).toEqual([
    ['1-0', undefined],
    ['1-1', 1],
    ['1-2', 2],
    ['1-3', 3],
    ['1-4', 1],
  ]);
  const older = await performHandshake(server, '2025-06-18');
  const plain = await server.open({ headers: older.headers, body });
  await plain.ended;
  expect(plain.events()[0]?.message).toMatchObject({ method: 'notifications/progress' });
});

test('the accepted types determine the form of the response; without a usable one the request is refused', async () => {
  await using server = await startHttp(recordingHandler());
  const { headers } = await performHandshake(server);
  const body = { ...call(1, 'progress'), params: { name: 'progress', _meta: { progressToken: 7 } } };
  const json = await server.send({ headers: { ...headers, accept: 'application/json' }, body });
  expect(json.json()).toMatchObject({ result: { content: [{ text: 'done' }] } });
  const stream = await server.open({ headers: { ...headers, accept: 'text/event-stream' }, body: call(2, 'echo') });
  await stream.ended;
  expect(stream.events().at(-1)?.message).toMatchObject({ id: 2 });
  for (const accept of ['text/html', 'application/json;q=0', 'application/xml, text/plain'])
    expect((await server.send({ headers: { ...headers, accept }, body: call(3, 'echo') })).status).toBe(406);
  for (const accept of ['*/*', 'APPLICATION/JSON', 'text/html, application/*;q=0.1', 'application/json;q=0.5, text/event-stream;q=0'])
    expect((await server.send({ headers: { ...headers, accept }, body: call(4, 'echo') })).json()).toHaveProperty('result');
});

test('a question needs a stream; without one the handler gets an error', async () => {
  await using server = await startHttp(recordingHandler());
  const { headers } = await performHandshake(server);
  const refused = await server.send({ headers: { ...headers, accept: 'application/json' }, body: call(1, 'ask') });
  expect(refused.json()).toMatchObject({ error: { code: -32_601 } });
  const stream = await server.open({ headers, body: call(2, 'ask') });
  const question = (await stream.until(2)).at(-1)?.message as Record<string, unknown>;
  expect(question['method']).toBe('elicitation/create');
  const accepted = await server.send({ headers, body: { jsonrpc: '2.0', id: question['id'] as number, result: { action: 'decline' } } });
  expect([accepted.status, accepted.text]).toEqual([202, '']);
  await stream.ended;
  expect(stream.events().at(-1)?.message).toMatchObject({ id: 2, result: { content: [{ text: '{"action":"decline"}' }] } });
});

test('a request that takes long becomes a stream with keep-alive comments', async () => {
  const handler = recordingHandler();
  await using server = await startHttp(handler, { keepAliveMs: 30 });
  const { headers } = await performHandshake(server);
  const stream = await server.open({ headers, body: call(1, 'wait') });
  await eventually(() => (stream.raw().match(/^:$/gm)?.length ?? 0) >= 2);
  handler.release();
  await stream.ended;
  expect(stream.events().at(-1)?.message).toMatchObject({ id: 1 });
});

test('notifications wait for the stream of a session, and are sent on one stream only', async () => {
  await using server = await startHttp(recordingHandler());
  const { headers } = await performHandshake(server);
  server.transport.publish('notifications/tools/list_changed', { first: true });
  const one = await server.open({ method: 'GET', headers });
  expect((await one.until(1))[0]?.message).toMatchObject({ params: { first: true } });
  const two = await server.open({ method: 'GET', headers });
  server.transport.publish('notifications/message', { level: 'error', data: 'second' });
  expect((await two.until(1))[0]?.message).toMatchObject({ params: { data: 'second' } });
  two.abort();
  await two.ended;
  await eventually(() => server.answering() === 1);
  server.transport.publish('notifications/prompts/list_changed', { third: true });
  expect((await one.until(2))[1]?.message).toMatchObject({ params: { third: true } });
  expect(one.events()).toHaveLength(2);
});

test('a list that changed several times while no stream was open is announced once', async () => {
  await using server = await startHttp(recordingHandler());
  const { headers } = await performHandshake(server);
  for (let time = 0; time < 5; time++) {
    server.transport.publish('notifications/tools/list_changed', {});
    server.transport.publish('notifications/prompts/list_changed', {});
    server.transport.publish('notifications/message', { level: 'error', data: 'said' });
  }
  const stream = await server.open({ method: 'GET', headers });
  const methods = (await stream.until(7)).map(({ message }) => message?.['method']);
  expect(methods.filter((method) => method === 'notifications/tools/list_changed')).toHaveLength(1);
  expect(methods).toHaveLength(7);
  server.transport.publish('notifications/tools/list_changed', {});
  server.transport.publish('notifications/tools/list_changed', {});
  expect(await stream.until(9)).toHaveLength(9);
});

test('a change that is no longer in the replay buffer is announced again', async () => {
  await using server = await startHttp(recordingHandler(), { replayBytes: 1000 });
  const { headers } = await performHandshake(server);
  server.transport.publish('notifications/tools/list_changed', {});
  for (let time = 0; time < 10; time++) server.transport.publish('notifications/message', { level: 'error', data: 'x'.repeat(200) });
  server.transport.publish('notifications/tools/list_changed', {});
  const stream = await server.open({ method: 'GET', headers });
  expect((await stream.until(4)).at(-1)?.message).toMatchObject({ method: 'notifications/tools/list_changed' });
});

test('a client that lost its stream gets the events after its last one, of that stream only', async () => {
  const handler = recordingHandler();
  await using server = await startHttp(handler);
  const { headers } = await performHandshake(server);
  const body = { ...call(1, 'wait'), params: { name: 'wait', _meta: { progressToken: 1 } } };
  const lost = await startedStream();
  async function startedStream(): ReturnType<typeof server.open> {
    const opening = server.open({ headers, body });
    await eventually(() => handler.requests.length === 1);
    handler.requests[0]?.reportProgress({ progress: 1 });
    return await opening;
  }
  const [first] = await lost.until(2);
  const idAt = (place: string): string => (first?.id ?? '').replace('1-0', place);
  lost.abort();
  await lost.ended;
  handler.requests[0]?.reportProgress({ progress: 2 });
  server.transport.publish('notifications/tools/list_changed', {});
  expect(handler.requests[0]?.signal.aborted).toBe(false);
  const resumed = await server.open({ method: 'GET', headers: { ...headers, 'last-event-id': idAt('1-1') } });
  expect((await resumed.until(1))[0]).toMatchObject({ id: idAt('1-2'), message: { params: { progress: 2 } } });
  handler.release();
  await resumed.ended;
  expect(resumed.events().map(({ id }) => placeOf(id))).toEqual(['1-2', '1-3']);
  expect(resumed.events()[1]?.message).toMatchObject({ id: 1, result: { content: [{ text: 'released' }] } });
  const again = await server.open({ method: 'GET', headers: { ...headers, 'last-event-id': idAt('1-2') } });
  await again.ended;
  expect(again.events().map(({ id }) => placeOf(id))).toEqual(['1-3']);
  const unknownStream = idAt('9-1').replace(/-[^-]*$/, '');
  for (const unknown of [unknownStream, '1'.repeat(20), '-1-1'])
    expect((await server.open({ method: 'GET', headers: { ...headers, 'last-event-id': unknown } })).status).toBe(
      unknown === unknownStream ? 400 : 200,
    );
});

/** The stream and the number of an event. */
const placeOf = (id: string | undefined): string | undefined => /^[\da-f]{12}-(\d+-\d+)/.exec(id ?? '')?.[1];

test('the replay buffer is bounded', async () => {
  await using server = await startHttp(recordingHandler(), { replayBytes: 2000 });
  const { headers } = await performHandshake(server);
  for (let index = 0; index < 100; index++)
    server.transport.publish('notifications/message', { level: 'error', data: `${index} ${'x'.repeat(400)}` });
  const stream = await server.open({ method: 'GET', headers });
  const kept = (await stream.until(4)).map(({ message }) => (message as { params: { data: string } }).params.data.split(' ')[0]);
  expect(kept).toEqual(['96', '97', '98', '99']);
});

test('batches are supported in one version only', async () => {
  const handler = recordingHandler();
  await using server = await startHttp(handler);
  const batch = [call(1, 'progress'), notify('notifications/roots/list_changed'), call(2, 'echo'), { junk: 1 }, call(1, 'echo')];
  const now = await performHandshake(server);
  expect(await server.send({ headers: now.headers, body: batch })).toMatchObject({ status: 400 });
  const then = await performHandshake(server, '2025-03-26');
  const reply = await server.send({ headers: then.headers, body: batch });
  const answers = JSON.parse(reply.text) as readonly { id?: number; error?: { code: number } }[];
  expect(new Set(answers.map(({ id, error }) => `${id} ${error?.code}`))).toEqual(
    new Set(['undefined -32600', '1 -32600', '1 undefined', '2 undefined']),
  );
  expect(await server.send({ headers: then.headers, body: [notify('notifications/x')] })).toMatchObject({ status: 202 });
  expect(await server.send({ headers: then.headers, body: [] })).toMatchObject({ status: 400 });
  expect(await server.send({ headers: then.headers, body: Array.from({ length: 101 }, (_, id) => call(id, 'echo')) })).toMatchObject({
    status: 400,
  });
  expect(await server.send({ body: batch })).toMatchObject({ status: 400 });
  expect(handler.notifications.map(({ method }) => method)).toEqual(['notifications/roots/list_changed', 'notifications/x']);
});

test('an id in use is refused; a cancelled request is answered so that its response ends', async () => {
  const handler = recordingHandler();
  await using server = await startHttp(handler);
  const { headers } = await performHandshake(server);
  const waiting = server.send({ headers, body: call(1, 'wait') });
  await eventually(() => handler.requests.length === 1);
  expect(await server.send({ headers, body: call(1, 'echo') })).toMatchObject({ status: 400 });
  expect(await server.send({ headers, body: call('1', 'echo') })).toMatchObject({ status: 200 });
  const other = await performHandshake(server);
  await server.send({ headers: other.headers, body: notify('notifications/cancelled', { requestId: 1 }) });
  expect(handler.requests[0]?.signal.aborted).toBe(false);
  await server.send({ headers, body: notify('notifications/cancelled', { requestId: 1 }) });
  expect((await waiting).json()).toMatchObject({ id: 1, error: { code: -32_800 } });
  await handler.aborted('wait');
});

test('a disconnect is not a cancellation', async () => {
  const handler = recordingHandler();
  await using server = await startHttp(handler);
  const { headers } = await performHandshake(server);
  const { request } = await import('node:http');
  const outgoing = request(server.url, { method: 'POST', headers: { ...headers, 'content-type': 'application/json' } });
  outgoing.on('error', () => {});
  outgoing.end(JSON.stringify(call(1, 'wait')));
  await eventually(() => handler.requests.length === 1);
  outgoing.destroy();
  await new Promise((resolve) => setTimeout(resolve, 30));
  expect(handler.requests[0]?.signal.aborted).toBe(false);
  handler.release();
  await eventually(() => server.transport.status().requestsInFlight === 0);
  expect(server.faults).toEqual([]);
});

test('concurrent requests are limited, and new ones are refused while closing', async () => {
  const handler = recordingHandler();
  await using server = await startHttp(handler, { inFlight: 1 });
  const { headers } = await performHandshake(server);
  const waiting = server.send({ headers, body: call(1, 'wait') });
  await eventually(() => handler.requests.length === 1);
  expect(await server.send({ headers, body: call(2, 'echo') })).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
  const listening = await server.open({ method: 'GET', headers });
  const closing = server.transport.close(5000);
  expect(await server.send({ headers, body: call(3, 'echo') })).toMatchObject({ status: 503 });
  expect(await server.send({ method: 'GET', headers })).toMatchObject({ status: 503 });
  handler.release();
  expect((await waiting).json()).toMatchObject({ result: { content: [{ text: 'released' }] } });
  await closing;
  await listening.ended;
  expect(handler.gone).toHaveLength(1);
});

test('a request that does not end before the limit gets an error, and the client is notified', async () => {
  const handler = recordingHandler();
  await using server = await startHttp(handler);
  const { headers } = await performHandshake(server);
  const waiting = server.send({ headers, body: call(1, 'wait') });
  await eventually(() => handler.requests.length === 1);
  await server.transport.close(20);
  expect((await waiting).json()).toMatchObject({ id: 1, error: { code: -32_603 } });
  await handler.aborted('wait');
});

test('a handler that throws outside of a request has no effect', async () => {
  const broken = (): never => {
    throw new Error('broken');
  };
  await using server = await startHttp({
    ...recordingHandler(),
    notified: broken,
    clientGone: broken,
    handle: broken,
    inputSchema: broken,
  });
  const { headers } = await performHandshake(server);
  expect((await server.send({ headers, body: notify('notifications/x') })).status).toBe(202);
  expect((await server.send({ headers, body: call(1, 'echo') })).json().error).toEqual({ code: -32_603, message: 'Internal error' });
  expect(await server.send(modern(1, 'tools/call', { name: 'echo' }))).toMatchObject({ status: 500 });
  expect((await server.send({ method: 'DELETE', headers })).status).toBe(204);
  expect(server.faults.map(String)).toEqual(Array.from({ length: 4 }, () => 'Error: broken'));
});

test('a failed handshake leaves no session', async () => {
  const handler = recordingHandler();
  await using server = await startHttp({
    ...handler,
    describe: () => {
      throw new Error('no name');
    },
  });
  const reply = await server.send({ body: { jsonrpc: '2.0', id: 1, method: 'initialize', params: {} } });
  expect(reply.json()).toEqual({ jsonrpc: '2.0', id: 1, error: { code: -32_603, message: 'Internal error' } });
  await eventually(() => server.transport.status().sessions === 0);
  expect(handler.gone).toHaveLength(1);
});
