/** Turns on a real engine, database, workers and gateway, as a client sees them, even when a process dies. */
import { readFileSync } from 'node:fs';
import type { TraceEvent } from '@holdfast/core';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { DurableWorld } from './durable-world.ts';
import { lines } from './program.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

let world: DurableWorld;

beforeAll(async () => {
  world = await DurableWorld.start();
  await Promise.all([world.gateway(), world.worker()]);
});
afterAll(() => world.stop());

const call = (callId: string, toolName: string, args: object = {}, after: readonly string[] = []): object => ({
  call_id: callId,
  tool_id: toolName,
  arguments: args,
  depends_on: after,
});
const seqs = (events: readonly { readonly seq: number }[]): readonly number[] => events.map(({ seq }) => seq);
const upTo = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index + 1);

async function collectEvents(events: AsyncIterable<TraceEvent>): Promise<readonly TraceEvent[]> {
  const all: TraceEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

/** The turn once all of it is recorded: workers write asynchronously. */
const waitForTurn = (turnId: string): Promise<Record<string, unknown>> =>
  vi.waitFor(
    async () => {
      const { body } = await world.get(`/v1/turns/${turnId}`);
      expect((body['events'] as readonly TraceEvent[]).at(-1)).toMatchObject({ event_type: 'TurnCompleted' });
      return body;
    },
    { timeout: 5_000 },
  );

test('a durable turn responds like any other, runs once, and is visible to the API and the command line', async () => {
  const plan = { turn_id: 'first', calls: [call('a', 'quick'), call('b', 'slow', { ms: 50 }, ['a']), call('c', 'refuse', {}, ['a'])] };
  const { status, body } = await world.post('/v1/turns', plan);
  expect({ status, outcome: body['outcome'] }).toEqual({ status: 200, outcome: 'partial' });
  expect(body['results']).toMatchObject([
    { call_id: 'a', status: 'success', output: { by: 'quick' } },
    { call_id: 'b', status: 'success', output: { by: 'slow' } },
    { call_id: 'c', status: 'error', error: { code: 'NOT_FOUND' } },
  ]);
  expect(await world.post('/v1/turns', plan)).toEqual({ status, body });
  expect(await world.post('/v1/turns', { ...plan, calls: [call('a', 'slow', { ms: 1 })] })).toMatchObject({
    status: 409,
    body: { error: { code: 'TURN_EXISTS' } },
  });
  const detail = await waitForTurn('first');
  const events = detail['events'] as readonly TraceEvent[];
  expect(detail).toMatchObject({ state: 'completed', report: body });
  expect(seqs(events)).toEqual(upTo(events.length));
  expect(events[0]).toMatchObject({ event_type: 'TurnStarted', execution_id: expect.any(String) as string });
  const shown = await world.program('trace', 'first', '-o', 'json').ended;
  expect({ code: shown.code, events: lines(shown.stdout) }).toEqual({ code: 0, events });
});

test('a worker killed in mid-turn loses no finished calls, and the event stream has each event once', async () => {
  await world.worker();
  const before = readFileSync(world.folder.at('notes'), 'utf8');
  const plan = {
    turn_id: 'survivor',
    calls: [
      call('a', 'quick', { name: 'one' }),
      call('b', 'slow', { ms: 1_500, name: 'two' }, ['a']),
      call('c', 'quick', { name: 'three' }, ['b']),
    ],
  };
  expect(await world.post('/v1/turns?wait=false', plan)).toMatchObject({ status: 202, body: { turn_id: 'survivor', state: 'running' } });
  const seen: TraceEvent[] = [];
  let killed: number | undefined;
  const notes = (): readonly string[] => readFileSync(world.folder.at('notes'), 'utf8').slice(before.length).trim().split('\n');
  for await (const event of world.events('survivor')) {
    seen.push(event);
    if (killed !== undefined || event.event_type !== 'CallStarted' || event.call_id !== 'b') continue;
    await vi.waitFor(() => expect(notes()).toHaveLength(2), { timeout: 5_000 });
    killed = Number(notes()[1]?.split(' ')[0]);
    const victim = world.workers().find(({ child }) => child.pid === killed);
    if (!victim) throw new Error(`No worker has the pid ${killed}.`);
    victim.child.kill('SIGKILL');
    world.leave(victim);
  }
  expect(seqs(seen)).toEqual(upTo(seen.length));
  expect(seen.at(-1)).toMatchObject({ event_type: 'TurnCompleted', outcome: 'success' });
  // Finished calls do not run again; the call that was running does.
  const names = notes().map((line) => line.split(' ')[1]);
  expect(names.filter((name) => name === 'one')).toHaveLength(1);
  expect(names.filter((name) => name === 'three')).toHaveLength(1);
  expect(names.filter((name) => name === 'two')).toHaveLength(2);
  const body = await waitForTurn('survivor');
  expect(body).toMatchObject({ state: 'completed', report: { outcome: 'success', results: [{}, { output: { by: 'two' } }, {}] } });
  expect(body['events']).toEqual(seen);
  const { code, stdout } = await world.program('trace', 'survivor', '-o', 'json').ended;
  expect({ code, events: lines(stdout) }).toEqual({ code: 0, events: seen });
});

test('overview, lists and histories count each turn of a worker once', async () => {
  await vi.waitFor(
    async () => {
      const { body } = await world.get('/v1/turns?tool_id=slow');
      expect(body['turns']).toMatchObject([
        { turn_id: 'survivor', state: 'completed', facts: { tools: expect.arrayContaining(['slow']) as unknown } },
        { turn_id: 'first', outcome: 'partial', facts: { failed_calls: 1 } },
      ]);
    },
    { timeout: 20_000, interval: 200 },
  );
  // The list and the overview follow the worker's events by themselves, one after the other.
  await vi.waitFor(
    async () => {
      const { body: overview } = await world.get('/v1/overview');
      expect(overview['turns']).toMatchObject([{ turn_id: 'survivor' }, { turn_id: 'first' }]);
      const tiles = overview['tools'] as readonly { readonly name: string; readonly counts: { readonly calls: number } }[];
      expect(Object.fromEntries(tiles.map(({ name, counts }) => [name, counts.calls]))).toEqual({ quick: 3, slow: 2, refuse: 1 });
    },
    { timeout: 20_000, interval: 200 },
  );
  await vi.waitFor(
    async () => {
      const { body: history } = await world.get('/v1/tools/quick/history?range=15m');
      expect(history['totals']).toMatchObject({ calls: 3, first_try: 3 });
      const { body: failures } = await world.get('/v1/failures');
      expect(failures['clusters']).toMatchObject([{ count: 1 }]);
    },
    { timeout: 20_000, interval: 200 },
  );
});

test('the API cancels a turn, and the command line runs one', async () => {
  await world.post('/v1/turns?wait=false', { turn_id: 'endless', calls: [call('a', 'slow', { ms: 30_000 })] });
  await vi.waitFor(async () => expect((await world.get('/v1/turns/endless')).body['events']).not.toEqual([]), { timeout: 5_000 });
  expect(await world.post('/v1/turns/endless/cancel')).toMatchObject({ status: 200, body: { state: 'completed', outcome: 'cancelled' } });
  expect(await world.post('/v1/turns/endless/cancel')).toMatchObject({ status: 200, body: { outcome: 'cancelled' } });
  world.folder.write({ 'turn.json': JSON.stringify({ calls: [call('a', 'quick', { name: 'shown' })] }) });
  const { code, stdout, stderr } = await world.program('run', 'turn.json', '--gateway', world.url).ended;
  expect(code, stderr).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ results: [{ call_id: 'a', output: { by: 'shown' } }] });
});

test('without the engine, turns are refused at once with a hint; earlier turns continue when it is back', async () => {
  await world.post('/v1/turns?wait=false', { turn_id: 'patient', calls: [call('a', 'slow', { ms: 500 })] });
  await world.restate.kill();
  const startedAt = performance.now();
  const { status, body } = await world.post('/v1/turns', { turn_id: 'refused', calls: [call('a', 'quick')] });
  expect({ status, body }).toMatchObject({
    status: 503,
    body: { error: { code: 'ENGINE_UNAVAILABLE', hint: expect.stringContaining('holdfast doctor') as string } },
  });
  expect(performance.now() - startedAt).toBeLessThan(5_000);
  const doctor = await world.program('doctor', '-o', 'json').ended;
  const findings = lines(doctor.stdout);
  expect(doctor.code).toBe(1);
  expect(findings.find(({ check }) => check === 'engine')).toMatchObject({ status: 'error', subject: 'ingress' });
  expect(findings.find(({ check }) => check === 'store')).toMatchObject({
    status: 'ok',
    message: expect.stringContaining('postgres://') as string,
  });
  await world.restate.restart();
  await vi.waitFor(async () => expect((await world.get('/v1/turns/patient')).body).toMatchObject({ state: 'completed' }), {
    timeout: 30_000,
    interval: 200,
  });
});

test('without workers a turn waits, and runs when one starts', async () => {
  for (const worker of world.workers()) {
    worker.child.kill('SIGTERM');
    expect(await worker.ended).toMatchObject({ code: 0 });
    world.leave(worker);
  }
  expect(await world.post('/v1/turns?wait=false', { turn_id: 'early', calls: [call('a', 'quick')] })).toMatchObject({ status: 202 });
  expect(await world.get('/v1/turns/early')).toMatchObject({ status: 200, body: { state: 'running', events: [] } });
  const stream = collectEvents(world.events('early'));
  stream.catch(() => undefined);
  await world.worker();
  expect((await stream).at(-1)).toMatchObject({ event_type: 'TurnCompleted', outcome: 'success' });
  expect(await waitForTurn('early')).toMatchObject({ state: 'completed', report: { outcome: 'success' } });
});
