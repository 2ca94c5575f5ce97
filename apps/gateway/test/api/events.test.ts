/** Following a turn: every event once and in order, wherever the stream is cut, whatever runs the turn, and whenever following starts. */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineTool, memoryStore, type TraceEvent } from '@holdfast/core';
import type { Store } from '@holdfast/core/store';
import { sqliteStore } from '@holdfast/store-sqlite';
import { assert, asyncProperty, array, boolean, constantFrom, integer, nat } from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { createKit, gate, type Kit, plan, sentEvents, until } from './kit.ts';

const folder = mkdtempSync(join(tmpdir(), 'holdfast-events-'));
const path = join(folder, 'trace.db');
const shared = sqliteStore({ path });
afterAll(async () => {
  await shared.close();
  rmSync(folder, { recursive: true, force: true });
});

const echo = { call_id: 'a', tool_id: 'echo' };
const wait = { call_id: 'w', tool_id: 'wait' };

/** A client of server-sent events that disconnects after `most` events. Returns the events, and how the stream ended. */
async function follow(kit: Kit, turnId: string, after: number, most: number) {
  const headers = after === 0 ? {} : { 'last-event-id': String(after) };
  const response = await kit.send('GET', `/v1/turns/${encodeURIComponent(turnId)}/events`, { headers });
  if (response.status === 204) return { events: [], ended: true };
  expect(response.status).toBe(200);
  const events: TraceEvent[] = [];
  let text = '';
  const decoder = new TextDecoder();
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return { events, ended: true };
    text += decoder.decode(value, { stream: true });
    const complete = text.slice(0, text.lastIndexOf('\n\n') + 2);
    text = text.slice(complete.length);
    for (const { event, id, data } of sentEvents(complete)) {
      if (event !== 'message') continue;
      expect(id).toBe(String(data.seq));
      if (events.length < most) events.push(data);
    }
    if (events.length < most) continue;
    await reader.cancel();
    return { events, ended: false };
  }
}

/** Reconnects after each cut, then reads to the end. */
async function followWithCuts(kit: Kit, turnId: string, cuts: readonly number[]): Promise<readonly TraceEvent[]> {
  const events: TraceEvent[] = [];
  for (const most of [...cuts, Number.POSITIVE_INFINITY]) {
    const part = await follow(kit, turnId, events.at(-1)?.seq ?? 0, most);
    events.push(...part.events);
    if (part.ended) break;
  }
  return events;
}

const step = defineTool({
  name: 'step',
  retry: { initialDelayMs: 1, maxAttempts: 3 },
  run: async ({ pause, fails }: { readonly pause: number; readonly fails: boolean }) => {
    if (pause > 0) await new Promise((resolve) => setTimeout(resolve, pause));
    if (fails) throw Object.assign(new Error('reset'), { code: 'ECONNRESET' });
    return 1;
  },
});

test('wherever it is cut, no event is lost or repeated', async () => {
  const turn = asyncProperty(
    array(array(nat({ max: 3 }), { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 4 }),
    array(integer({ min: 1, max: 12 }), { maxLength: 8 }),
    constantFrom('own', 'elsewhere', 'over'),
    constantFrom('memory', 'sqlite', 'none'),
    boolean(),
    async (chains, cuts, how, kind, fails) => {
      const store: Store | undefined = kind === 'memory' ? memoryStore() : kind === 'sqlite' ? shared : undefined;
      // Without a store only turns of the API are known.
      const runner = kind === 'none' && how === 'elsewhere' ? 'own' : how;
      const kit = createKit({ tools: [step], storeless: store === undefined, ...(store ? { store } : {}) });
      const turnId = randomUUID();
      const calls = chains.flatMap((pauses, chain) =>
        pauses.map((pause, place) => ({
          call_id: `c${chain}-${place}`,
          tool_id: 'step',
          arguments: { pause, fails: fails && place === 1 },
          ...(place === 0 ? {} : { depends_on: [`c${chain}-${place - 1}`] }),
        })),
      );
      const running =
        runner === 'elsewhere'
          ? kit.service.executeTurn({
              turnId,
              calls: calls.map(({ call_id: callId, tool_id: toolName, arguments: args, depends_on: dependsOn }) => ({
                callId,
                toolName,
                arguments: args,
                dependsOn,
              })),
            })
          : kit.post('/v1/turns', { turn_id: turnId, calls });
      if (runner === 'over') await running;
      else await until(async () => (await kit.send('HEAD', `/v1/turns/${turnId}/events`)).status === 200);
      const followed = await Promise.all([followWithCuts(kit, turnId, cuts), followWithCuts(kit, turnId, cuts.toReversed())]);
      await running;
      const recorded = (await kit.get(`/v1/turns/${turnId}?limit=10000`)).body['events'];
      expect(recorded.at(-1)).toMatchObject({ event_type: 'TurnCompleted' });
      for (const events of followed) expect(events).toEqual(recorded);
    },
  );
  await assert(turn, { numRuns: 60 });
}, 120_000);

test('the end has the outcome of the turn, and a client that reconnects gets 204', async () => {
  const kit = createKit();
  await kit.post('/v1/turns', plan('one', echo));
  const { headers, text } = await kit.get('/v1/turns/one/events');
  expect(headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  expect(headers.get('cache-control')).toBe('no-store');
  expect(text).toMatch(/^retry: \d+\n\n/);
  const sent = sentEvents(text);
  const last = sent.at(-2)?.data.seq;
  expect(sent.at(-1)).toEqual({ event: 'end', id: undefined, data: { turn_id: 'one', last_seq: last, outcome: 'success' } });
  expect((await kit.get('/v1/turns/one/events', { headers: { 'last-event-id': String(last) } })).status).toBe(204);
  const rest = sentEvents((await kit.get(`/v1/turns/one/events?after=2`, { headers: { 'last-event-id': String(last - 1) } })).text);
  expect(rest.map(({ data }) => data.seq ?? data.last_seq)).toEqual([last, last]);
});

test('as lines of JSON there are only events', async () => {
  const kit = createKit();
  const running = kit.post('/v1/turns', plan('one', wait));
  await until(() => kit.calls.length > 0);
  const response = kit.get('/v1/turns/one/events', { headers: { accept: 'application/x-ndjson' } });
  kit.waiting.open();
  await running;
  const { text, headers } = await response;
  expect(headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8');
  const events = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(events).toEqual((await kit.get('/v1/turns/one')).body['events']);
});

test.each([
  [undefined, 'text/event-stream'],
  ['*/*', 'text/event-stream'],
  ['text/event-stream, application/x-ndjson', 'application/x-ndjson'],
  ['text/event-stream, application/x-ndjson;q=0.5', 'text/event-stream'],
  ['application/x-ndjson, */*;q=0.1', 'application/x-ndjson'],
  ['application/jsonl', 'application/x-ndjson'],
  ['application/json', undefined],
  ['text/event-stream;q=0', undefined],
])('Accept: %s is answered %s', async (accept, type) => {
  const kit = createKit();
  await kit.post('/v1/turns', plan('one', echo));
  const { status, headers } = await kit.get('/v1/turns/one/events', accept === undefined ? {} : { headers: { accept } });
  expect(status).toBe(type === undefined ? 406 : 200);
  expect(headers.get('content-type')).toContain(type ?? 'application/problem+json');
});

test('without events, a comment is sent', async () => {
  const kit = createKit({ limits: { heartbeatMs: 5 } });
  const running = kit.post('/v1/turns', plan('one', wait));
  await until(() => kit.calls.length > 0);
  const response = await kit.send('GET', '/v1/turns/one/events');
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  let text = '';
  while (!/(?:: heartbeat\n\n.*){2}/s.test(text)) text += new TextDecoder().decode((await reader.read()).value);
  kit.waiting.open();
  await running;
  for (let done = false; !done;) {
    const part = await reader.read();
    if (part.value) text += new TextDecoder().decode(part.value);
    done = part.done;
  }
  const seqs = sentEvents(text).flatMap(({ event, data }) => (event === 'message' ? [data.seq] : []));
  expect(seqs).toEqual(seqs.map((_, index) => index + 1));
});

describe('readers', () => {
  test('that read nothing are disconnected with the position to resume, and hold no resources', async () => {
    const kit = createKit({ limits: { slowReaderMs: 20, streams: 1 } });
    const running = kit.post('/v1/turns', plan('one', wait));
    await until(() => kit.calls.length > 0);
    const slow = await kit.send('GET', '/v1/turns/one/events');
    const reader = (slow.body as ReadableStream<Uint8Array>).getReader();
    const first = sentEvents(new TextDecoder().decode((await reader.read()).value));
    expect((await kit.get('/v1/turns/one/events')).status).toBe(429);
    await until(async () => (await kit.send('HEAD', '/v1/turns/one/events')).status === 200);
    const rest = sentEvents(new TextDecoder().decode((await reader.read()).value));
    const lastSeq = first.at(-1)?.data.seq;
    expect(rest).toEqual([{ event: 'resume', id: undefined, data: { turn_id: 'one', last_seq: lastSeq, reason: 'slow_reader' } }]);
    expect((await reader.read()).done).toBe(true);
    kit.waiting.open();
    await running;
    const events = [...first.map(({ data }) => data), ...(await follow(kit, 'one', lastSeq, Infinity)).events];
    expect(events).toEqual((await kit.get('/v1/turns/one')).body['events']);
  });

  test('that wait for events are not slow', async () => {
    const kit = createKit({ limits: { slowReaderMs: 30 } });
    const running = kit.post('/v1/turns', plan('one', wait));
    await until(() => kit.calls.length > 0);
    const followed = follow(kit, 'one', 0, Infinity);
    await new Promise((resolve) => setTimeout(resolve, 120));
    kit.waiting.open();
    await running;
    expect((await followed).events).toEqual((await kit.get('/v1/turns/one')).body['events']);
  });

  test('are limited; one that disconnects makes room', async () => {
    const kit = createKit({ limits: { streams: 2 } });
    const running = kit.post('/v1/turns', plan('one', wait));
    await until(() => kit.calls.length > 0);
    const open = await Promise.all([1, 2].map(() => kit.send('GET', '/v1/turns/one/events')));
    const third = await kit.get('/v1/turns/one/events');
    expect(third).toMatchObject({ status: 429, body: { error: { code: 'TOO_MANY_STREAMS', retry_after_ms: 1000 } } });
    expect(third.headers.get('retry-after')).toBe('1');
    await open[0]?.body?.cancel();
    const again = await kit.send('GET', '/v1/turns/one/events');
    expect(again.status).toBe(200);
    kit.waiting.open();
    await running;
    expect(sentEvents(await again.text()).at(-1)).toMatchObject({ event: 'end' });
    await open[1]?.body?.cancel();
  });

  test('of HEAD requests hold nothing', async () => {
    const kit = createKit({ limits: { streams: 1 } });
    const running = kit.post('/v1/turns', plan('one', wait));
    await until(() => kit.calls.length > 0);
    for (let index = 0; index < 3; index += 1) {
      const response = await kit.send('HEAD', '/v1/turns/one/events');
      expect(response.status).toBe(200);
      expect(await response.text()).toBe('');
    }
    kit.waiting.open();
    await running;
  });

  test('leave no resources behind, even a thousand of them', async () => {
    let listeners = 0;
    const kit = createKit({ limits: { streams: 2_000 } });
    const subscribe = kit.service.subscribe.bind(kit.service);
    kit.service.subscribe = (listener) => {
      listeners += 1;
      const stop = subscribe(listener);
      return () => {
        listeners -= 1;
        stop();
      };
    };
    const running = kit.service.executeTurn({ turnId: 'one', calls: [{ callId: 'w', toolName: 'wait' }] });
    const open = await Promise.all(Array.from({ length: 1_000 }, () => kit.send('GET', '/v1/turns/one/events')));
    expect(listeners).toBe(1);
    await Promise.all(open.map(async (response) => response.body?.cancel()));
    expect(listeners).toBe(0);
    kit.waiting.open();
    await running;
  });
});

test('a turn of another process is followed through the store', async () => {
  const waiting = gate();
  const other = createKit({ store: shared, waiting });
  const reading = sqliteStore({ path });
  const kit = createKit({ store: reading });
  const turnId = randomUUID();
  const running = other.post('/v1/turns', plan(turnId, wait));
  await until(async () => (await kit.send('HEAD', `/v1/turns/${turnId}/events`)).status === 200);
  const followed = follow(kit, turnId, 0, Infinity);
  waiting.open();
  await running;
  expect((await followed).events).toEqual((await kit.get(`/v1/turns/${turnId}`)).body['events']);
  await reading.close();
});

test('a turn whose process died ends without an outcome', async () => {
  const dying = sqliteStore({ path: join(folder, 'died.db') });
  const before = createKit({ store: dying });
  const abandoned = before.post('/v1/turns', plan('one', wait));
  await until(() => before.calls.length > 0);
  await dying.close();
  const store = sqliteStore({ path: join(folder, 'died.db') });
  const kit = createKit({ store });
  const sent = sentEvents((await kit.get('/v1/turns/one/events')).text);
  expect(sent.at(-1)).toMatchObject({ event: 'end', data: { last_seq: sent.at(-2)?.data.seq } });
  expect(sent.at(-1)?.data).not.toHaveProperty('outcome');
  before.waiting.open();
  await abandoned;
  await store.close();
});

test('a reused id is followed in its latest run, and in each run by its number', async () => {
  const kit = createKit();
  await kit.service.executeTurn({ turnId: 'one', calls: [{ callId: 'a', toolName: 'echo' }] });
  await kit.service.executeTurn({ turnId: 'one', calls: [{ callId: 'b', toolName: 'echo' }] });
  const [second, first] = (await kit.get('/v1/turns')).body['turns'];
  const callsOf = async (query: string): Promise<unknown> =>
    sentEvents((await kit.get(`/v1/turns/one/events${query}`)).text)[0]?.data.calls[0].call_id;
  expect(await callsOf('')).toBe('b');
  expect(await callsOf(`?run=${first.run}`)).toBe('a');
  expect(await callsOf(`?run=${second.run}`)).toBe('b');
  expect((await kit.get('/v1/turns/one/events?run=99')).status).toBe(404);
});
