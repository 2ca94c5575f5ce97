/** Running turns: reports, mistakes, running once, waiting or not, cancelling. */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { memoryStore } from '@holdfast/core';
import type { Store } from '@holdfast/core/store';
import { sqliteStore } from '@holdfast/store-sqlite';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { createKit, gate, plan, until } from './kit.ts';

const folder = mkdtempSync(join(tmpdir(), 'holdfast-turns-'));
const open: Store[] = [];
afterEach(async () => {
  for (const store of open.splice(0)) await store.close();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const file = (path: string): Store => {
  const store = sqliteStore({ path });
  open.push(store);
  return store;
};
const stores: readonly (readonly [string, () => Store])[] = [
  ['the memory store', () => memoryStore()],
  ['the SQLite store', () => file(join(folder, `${randomUUID()}.db`))],
];

const echo = { call_id: 'a', tool_id: 'echo', arguments: { x: 1 } };
const wait = { call_id: 'w', tool_id: 'wait' };

describe.each(stores)('with %s', (_name, makeStore) => {
  test('a plan is run and its report answered', async () => {
    const kit = createKit({ store: makeStore() });
    const second = { call_id: 'b', tool_id: 'echo', arguments: { y: { $from: 'a', path: 'x' } } };
    const { status, body, headers } = await kit.post('/v1/turns', plan('one', echo, second));
    expect(status).toBe(200);
    expect(headers.get('location')).toBe('/v1/turns/one');
    expect(body).toMatchObject({ turn_id: 'one', outcome: 'success', critical_path: ['a', 'b'] });
    expect(body['results']).toMatchObject([
      { call_id: 'a', tool_id: 'echo', output: { x: 1 } },
      { call_id: 'b', output: { y: 1 } },
    ]);
    const detail = await kit.get('/v1/turns/one');
    expect(detail.body).toMatchObject({ state: 'completed', report: body });
    expect(detail.body['events'].map(({ seq }: { seq: number }) => seq)).toEqual(
      detail.body['events'].map((_: unknown, index: number) => index + 1),
    );
    expect(detail.body['events'].at(-1)).toMatchObject({ event_type: 'TurnCompleted' });
  });

  test('a failed call is a report, not a refusal', async () => {
    const { status, body } = await createKit({ store: makeStore() }).post('/v1/turns', plan('one', { call_id: 'a', tool_id: 'fail' }));
    expect(status).toBe(200);
    expect(body).toMatchObject({
      outcome: 'failed',
      results: [{ status: 'error', error: { code: 'NETWORK_ERROR', retryable: true }, attempts: 2 }],
    });
    expect(JSON.stringify(body)).not.toMatch(/stack|\.ts:\d/);
  });

  test('the events of a turn come in pages', async () => {
    const kit = createKit({ store: makeStore() });
    await kit.post('/v1/turns', plan('one', echo));
    const whole = (await kit.get('/v1/turns/one')).body['events'];
    const pages: unknown[] = [];
    let after: number | undefined = 0;
    while (after !== undefined) {
      const { body } = await kit.get(`/v1/turns/one?limit=2&after=${after}`);
      expect(body['events'].length).toBeLessThanOrEqual(2);
      pages.push(...body['events']);
      after = body['next_after'];
    }
    expect(pages).toEqual(whole);
    expect((await kit.get('/v1/turns/one?limit=0')).body).toMatchObject({ events: [], next_after: 0 });
  });

  test('with wait=false it is answered at once, and can be read', async () => {
    const kit = createKit({ store: makeStore() });
    const accepted = await kit.post('/v1/turns?wait=false', plan(undefined, wait));
    expect(accepted).toMatchObject({ status: 202, body: { state: 'running' } });
    const location = accepted.headers.get('location') ?? '';
    const running = await kit.get(location);
    expect(running.body).toMatchObject({ turn_id: accepted.body['turn_id'], state: 'running' });
    expect(running.body).not.toHaveProperty('report');
    kit.waiting.open();
    await until(async () => (await kit.get(location)).body['state'] === 'completed');
    expect((await kit.get(location)).body['report']).toMatchObject({ outcome: 'success', results: [{ output: { waited: true } }] });
  });

  test('the same plan under the same id runs once, while it runs and afterwards', async () => {
    const kit = createKit({ store: makeStore() });
    const first = kit.post('/v1/turns', plan('one', wait));
    const second = kit.post('/v1/turns', plan('one', wait));
    await until(() => kit.calls.length > 0);
    const third = kit.post('/v1/turns', plan('one', wait));
    expect((await kit.post('/v1/turns', plan('one', { ...wait, call_id: 'v' }))).status).toBe(409);
    kit.waiting.open();
    const answers = await Promise.all([first, second, third, first.then(() => kit.post('/v1/turns', plan('one', wait)))]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(kit.calls).toHaveLength(1);
  });

  test('another plan under the same id is refused', async () => {
    const kit = createKit({ store: makeStore() });
    await kit.post('/v1/turns', plan('one', echo));
    const other = await kit.post('/v1/turns', plan('one', { ...echo, arguments: { x: 2 } }));
    expect(other).toMatchObject({ status: 409, body: { error: { code: 'TURN_EXISTS', field: 'turn_id' } } });
    expect(kit.calls).toHaveLength(1);
  });

  test('after a restart, the turn does not run again: its report is read from the trace', async () => {
    const path = join(folder, `${randomUUID()}.db`);
    const before = createKit({ store: file(path), service: { capture: 'all' } });
    const original = await before.post('/v1/turns', plan('one', echo, { call_id: 'f', tool_id: 'fail' }));
    await before.store?.close();
    const after = createKit({ store: file(path) });
    const again = await after.post('/v1/turns', plan('one', echo, { call_id: 'f', tool_id: 'fail' }));
    expect(again.status).toBe(200);
    expect(again.body).toMatchObject({ turn_id: 'one', outcome: 'partial', summary: original.body['summary'], from_trace: true });
    expect(again.body['results']).toMatchObject([
      { call_id: 'a', status: 'success', output: { x: 1 } },
      { call_id: 'f', status: 'error', error: { code: 'NETWORK_ERROR', classification: 'transient' }, attempts: 2 },
    ]);
    expect(after.calls).toEqual([]);
    const others = [
      [{ ...echo, call_id: 'z' }],
      [echo],
      [echo, { call_id: 'f', tool_id: 'fail' }, { ...echo, call_id: 'z' }],
      [echo, { call_id: 'f', tool_id: 'echo' }],
    ];
    for (const other of others) {
      const fresh = createKit({ store: file(path) });
      expect((await fresh.post('/v1/turns', plan('one', ...other))).status).toBe(409);
      expect(fresh.calls).toEqual([]);
    }
  });

  test('an Idempotency-Key identifies a turn, separately for each principal', async () => {
    const kit = createKit({ store: makeStore() });
    const headers = { 'idempotency-key': 'k1' };
    const first = await kit.post('/v1/turns', plan(undefined, echo), { headers, principal: 'ann' });
    const again = await kit.post('/v1/turns', plan(undefined, echo), { headers, principal: 'ann' });
    const bob = await kit.post('/v1/turns', plan(undefined, echo), { headers, principal: 'bob' });
    expect(again.text).toBe(first.text);
    expect(bob.body['turn_id']).not.toBe(first.body['turn_id']);
    expect(kit.calls).toHaveLength(2);
    const other = await kit.post('/v1/turns', plan(undefined, { ...echo, arguments: {} }), { headers, principal: 'ann' });
    expect(other).toMatchObject({ status: 422, body: { error: { code: 'IDEMPOTENCY_KEY_REUSED' } } });
  });

  test('a running turn is cancelled, and cancelling again has no effect', async () => {
    const kit = createKit({ store: makeStore() });
    const waiting = kit.post('/v1/turns', plan('one', wait));
    await until(() => kit.calls.length > 0);
    const [first, second] = await Promise.all([kit.post('/v1/turns/one/cancel'), kit.post('/v1/turns/one/cancel')]);
    expect(first).toMatchObject({ status: 200, body: { turn_id: 'one', state: 'completed', outcome: 'cancelled' } });
    expect(second.body).toEqual(first.body);
    expect((await waiting).body).toMatchObject({ outcome: 'cancelled', results: [{ error: { code: 'CANCELLED' } }] });
    expect(await kit.post('/v1/turns/one/cancel')).toMatchObject({ status: 200, body: first.body });
  });

  test('a turn that has ended, or runs elsewhere, cannot be cancelled', async () => {
    const kit = createKit({ store: makeStore() });
    await kit.post('/v1/turns', plan('one', echo));
    expect(await kit.post('/v1/turns/one/cancel')).toMatchObject({ status: 409, body: { error: { code: 'TURN_OVER' } } });
    const elsewhere = kit.service.executeTurn({ turnId: 'two', calls: [{ callId: 'w', toolName: 'wait' }] });
    expect(await kit.post('/v1/turns/two/cancel')).toMatchObject({ status: 409, body: { error: { code: 'NOT_CANCELLABLE' } } });
    kit.waiting.open();
    await elsewhere;
  });

  test('unknown turns and runs are refused, with a suggestion', async () => {
    const kit = createKit({ store: makeStore() });
    await kit.post('/v1/turns', plan('summer-trip', echo));
    for (const [method, path] of [
      ['GET', ''],
      ['GET', '/events'],
      ['POST', '/cancel'],
    ] as const) {
      const answer = await kit.ask(method, `/v1/turns/sumer-trip${path}`);
      expect(answer).toMatchObject({ status: 404, body: { error: { code: 'UNKNOWN_TURN', suggestion: 'summer-trip' } } });
    }
    expect((await kit.get('/v1/turns/summer-trip?run=99')).body['error'].message).toBe("Turn 'summer-trip' has no run 99");
  });

  test('turns are listed, newest first, in pages that neither repeat nor miss one', async () => {
    const kit = createKit({ store: makeStore() });
    for (let index = 0; index < 7; index += 1)
      await kit.post('/v1/turns', plan(`t${index}`, index % 3 === 0 ? { call_id: 'f', tool_id: 'fail' } : echo));
    const idsOf = async (query: string): Promise<readonly string[]> => {
      const ids: string[] = [];
      let cursor = '';
      do {
        const { body } = await kit.get(`/v1/turns?${query}${cursor && `&cursor=${cursor}`}`);
        ids.push(...body['turns'].map(({ turn_id }: { turn_id: string }) => turn_id));
        cursor = body['next_cursor'] ?? '';
      } while (cursor);
      return ids;
    };
    const all = ['t6', 't5', 't4', 't3', 't2', 't1', 't0'];
    expect(await idsOf('limit=2')).toEqual(all);
    expect(await idsOf('limit=7')).toEqual(all);
    expect(await idsOf('limit=1&outcome=failed')).toEqual(['t6', 't3', 't0']);
    expect(await idsOf('limit=3&outcome=failed,success')).toEqual(all);
    expect(await idsOf('outcome=failed&outcome=success')).toEqual(all);
    expect(await idsOf('state=running')).toEqual([]);
    const { body } = await kit.get('/v1/turns?limit=1&outcome=failed');
    expect(await idsOf(`since=${body['turns'][0].started_at}`)).toContain('t6');
    expect(await idsOf(`before=${encodeURIComponent('2020-01-01T00:00:00Z')}`)).toEqual([]);
    expect(await idsOf('since=4102444800000')).toEqual([]);
  });
});

test('a turn whose process died does not run again', async () => {
  const path = join(folder, 'died.db');
  const dead = sqliteStore({ path });
  const before = createKit({ store: dead });
  const abandoned = before.post('/v1/turns', plan('one', wait));
  await until(() => before.calls.length > 0);
  await dead.close();
  const kit = createKit({ store: file(path) });
  expect(await kit.post('/v1/turns', plan('one', wait))).toMatchObject({ status: 409, body: { error: { code: 'TURN_INTERRUPTED' } } });
  const { body } = await kit.get('/v1/turns/one');
  expect(body).toMatchObject({ state: 'interrupted' });
  // Between the last sign of life and now, since its next one may not be overdue yet.
  const { after, before: latest } = body['stopped'];
  expect(Date.parse(after)).toBeGreaterThanOrEqual(Date.parse(body['events'].at(-1).timestamp));
  expect(Date.parse(latest)).toBeGreaterThanOrEqual(Date.parse(after));
  expect(Date.parse(latest)).toBeLessThanOrEqual(Date.now());
  expect(kit.calls).toEqual([]);
  before.waiting.open();
  await abandoned;
});

test('a turn continues when its client disconnects', async () => {
  const waiting = gate();
  const kit = createKit({ waiting });
  const client = new AbortController();
  const answer = kit.post('/v1/turns', plan('one', wait), { signal: client.signal });
  await until(() => kit.calls.length > 0);
  client.abort();
  waiting.open();
  expect((await answer).body).toMatchObject({ outcome: 'success' });
});

test('without a store, the latest turns of the API are kept', async () => {
  const kit = createKit({ storeless: true });
  await kit.post('/v1/turns', plan('one', echo));
  await kit.post('/v1/calls', { tool_id: 'echo' });
  expect((await kit.get('/v1/turns')).body['turns']).toMatchObject([{ turn_id: 'one', state: 'completed' }]);
  expect((await kit.get('/v1/turns/one')).body).toMatchObject({ report: { outcome: 'success' } });
  expect((await kit.post('/v1/turns', plan('one', echo))).status).toBe(200);
  expect(kit.calls).toHaveLength(2);
});

test('ids that need escaping are found', async () => {
  const kit = createKit();
  for (const id of ['a/b', 'a b', 'ä?#%25', '...', '%']) {
    const { headers } = await kit.post('/v1/turns', plan(id, echo));
    const location = headers.get('location') ?? '';
    expect((await kit.get(location)).body, id).toMatchObject({ turn_id: id });
  }
});

test('the query overrides the id and the time limit of the plan', async () => {
  const kit = createKit();
  const plan = { turn_id: 'same', calls: [{ call_id: 'a', tool_id: 'echo' }] };
  const first = await kit.post('/v1/turns?turn_id=one&timeout_ms=5000', plan);
  const second = await kit.post('/v1/turns?turn_id=two', plan);
  expect([first.body['turn_id'], second.body['turn_id']]).toEqual(['one', 'two']);
  const { body } = await kit.get('/v1/turns/one');
  expect(body['events']).toMatchObject([{ event_type: 'TurnStarted', timeout_ms: 5000 }, ...Array.from({ length: 5 }, () => ({}))]);
  for (const query of ['turn_id=', 'timeout_ms=0', 'timeout_ms=soon'])
    expect((await kit.post(`/v1/turns?${query}`, plan)).status, query).toBe(400);
});

test('what happens outside of turns is not listed as a turn', async () => {
  const kit = createKit();
  kit.service.controlCircuit('echo', 'forced_open');
  await kit.post('/v1/turns', { turn_id: 'one', calls: [{ call_id: 'a', tool_id: 'large', arguments: { chars: 1 } }] });
  const recorded = await kit.store?.listTurns();
  expect(recorded?.filter(({ turnId }) => turnId.endsWith('-control'))).toMatchObject([{ calls: 0 }]);
  const { body } = await kit.get('/v1/turns');
  expect(body['turns']).toMatchObject([{ turn_id: 'one' }]);
});
