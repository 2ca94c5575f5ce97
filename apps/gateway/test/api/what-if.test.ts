/** `POST /v1/turns/{turn_id}/what-if`: answers, bounds, refusals, and that it does not block the gateway. */
import { setTimeout as wait } from 'node:timers/promises';
import { defineTool, type TraceEvent } from '@holdfast/core';
import { describe, expect, test } from 'vitest';
import { whatIfAnswer } from '../../src/api/what-if/answer.ts';
import { TurnWork } from '../../src/api/turn-work/turn-work.ts';
import type { WhatIfAnswer } from '../../src/contract.ts';
import { createKit, type Kit, plan, until } from './kit.ts';

const down = (): never => {
  throw Object.assign(new Error('reset'), { code: 'ECONNRESET' });
};

const retry = { maxAttempts: 2, initialDelayMs: 1, jitter: 'none' } as const;
let uses = 0;
const tools = [
  defineTool({ name: 'flaky', retry, breaker: false, run: () => (++uses % 2 === 1 ? down() : { found: true }) }),
  defineTool({ name: 'broken', retry, breaker: false, run: down }),
  defineTool({
    name: 'slow',
    retry: { maxAttempts: 1 },
    timeoutMs: 30,
    breaker: false,
    run: () => wait(20_000, undefined, { ref: false }),
  }),
  defineTool({ name: 'good', run: async () => 'fine' }),
] as const;

async function recorded(...calls: readonly object[]): Promise<Kit> {
  uses = 0;
  const kit = createKit({ tools });
  await kit.post('/v1/turns', plan('t', ...calls));
  return kit;
}

const ask = async (kit: Kit, body: object): Promise<WhatIfAnswer> => {
  const { status, body: answer } = await kit.post('/v1/turns/t/what-if', body);
  expect([status, answer['error']]).toEqual([200, undefined]);
  return answer as unknown as WhatIfAnswer;
};

const flaky = { call_id: 'a', tool_id: 'flaky' };
const broken = { call_id: 'b', tool_id: 'broken' };

test('recorded attempts are replayed under other settings, without assumptions', async () => {
  const kit = await recorded(flaky, { call_id: 'c', tool_id: 'good', depends_on: ['a'] });
  const answer = await ask(kit, { tools: { flaky: { retry_policy: { max_attempts: 1 } } } });
  expect(answer).toMatchObject({
    turn_id: 't',
    recorded: { outcome: 'success', attempts: 3, retries: 1, calls_succeeded: 2, calls_failed: 0 },
    unchanged: { outcome: 'success', attempts: 3, retries: 1, calls_succeeded: 2, calls_failed: 0, calls_skipped: 0 },
    replayed: { attempts: 1, retries: 0, calls_succeeded: 0, calls_failed: 1, calls_skipped: 1 },
    unknown_attempts: 0,
    assumptions: [],
  });
  expect(answer.bounds).toEqual({ worst: answer.replayed, best: answer.replayed });
  const none = { low: 0, high: 0 };
  expect(answer.ranges).toMatchObject({
    observed_share: 1,
    whole: none,
    attempts: { low: 1, high: 1 },
    retries: none,
    calls_succeeded: none,
    calls_failed: { low: 1, high: 1 },
    calls_skipped: { low: 1, high: 1 },
  });
  const decision = answer.differences.find(({ where }) => where === "decision 1 of call 'a'");
  expect(decision).toMatchObject({
    call_id: 'a',
    tool_id: 'flaky',
    recorded: { action: 'retry in 1 ms' },
    replayed: { action: 'escalate' },
  });
  expect(decision?.replayed?.reason).toMatch(/\w/);
  expect(answer.differences.filter(({ where }) => where.startsWith('end of'))).toMatchObject([
    { where: "end of call 'a'", recorded: { action: 'success' }, replayed: { action: 'error', reason: 'Tool error: reset' } },
    { where: "end of call 'c'", recorded: { action: 'success' }, replayed: { action: 'skipped' } },
  ]);
});

test('no tool runs', async () => {
  const kit = await recorded(flaky);
  const before = uses;
  for (const max of [1, 2, 5]) await ask(kit, { policy: { retry_policy: { max_attempts: max } } });
  expect([before, uses]).toEqual([2, 2]);
});

test('the replayed events are a complete turn, from its start', async () => {
  const kit = await recorded(flaky);
  const { events } = await ask(kit, { turn: { timeout_ms: 5_000 } });
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
  expect(events[0]).toMatchObject({ event_type: 'TurnStarted', turn_id: 't', timeout_ms: 5_000, calls: [{ call_id: 'a' }] });
  expect(events.at(-1)).toMatchObject({ event_type: 'TurnCompleted' });
});

test('unrecorded attempts are counted, listed, and bounded by replays', async () => {
  const kit = await recorded(broken);
  const answer = await ask(kit, { policy: { retry_policy: { max_attempts: 5 } } });
  expect(answer.unknown_attempts).toBe(3);
  expect(answer.assumptions).toHaveLength(3);
  expect(answer.assumptions[0]).toContain("Attempt 3 of broken in call 'b' was never made");
  expect(answer.replayed).toMatchObject({ outcome: 'failed', attempts: 5, retries: 4, calls_failed: 1 });
  expect(answer.bounds.worst).toMatchObject({ outcome: 'failed', attempts: 5, calls_failed: 1 });
  expect(answer.bounds.best).toMatchObject({ outcome: 'success', attempts: 3, calls_succeeded: 1, calls_failed: 0 });
  const either = { low: 0, high: 1 };
  expect(answer.ranges).toMatchObject({
    observed_share: 0,
    whole: either,
    attempts: { low: 3, high: 5 },
    retries: { low: 2, high: 4 },
    calls_succeeded: either,
    calls_failed: either,
  });
});

test('an attempt that timed out and gets more time is unknown too', async () => {
  const kit = await recorded({ call_id: 's', tool_id: 'slow' });
  const answer = await ask(kit, { tools: { slow: { timeout_ms: 5_000 } } });
  expect(answer.unknown_attempts).toBe(1);
  expect(answer.assumptions[0]).toMatch(/was cut off after \d+ ms; given more time it is assumed to hang/);
  expect(answer.bounds.worst.duration_ms).toBeGreaterThanOrEqual(5_000);
  expect(answer.bounds.best).toMatchObject({ outcome: 'success' });
  expect(answer.bounds.best.duration_ms).toBeLessThan(1_000);
  expect((await ask(kit, { tools: { slow: { timeout_ms: 20 } } })).unknown_attempts).toBe(0);
});

test('without settings it equals the recorded turn', async () => {
  const kit = await recorded(flaky, broken);
  const { recorded: was, replayed, differences, unknown_attempts: unknown } = await ask(kit, {});
  expect({ differences, unknown }).toEqual({ differences: [], unknown: 0 });
  expect({ ...replayed, duration_ms: 0 }).toEqual({ ...was, duration_ms: 0 });
});

/** What a process that is busy with other work does to a record: each event comes later by a growing part of the time. */
const late = (events: readonly TraceEvent[], byMs: number): readonly TraceEvent[] =>
  events.map((event, index) => {
    const elapsed_ms = event.elapsed_ms + (byMs * index) / events.length;
    const started = Date.parse(events[0]?.timestamp ?? '');
    const times = { elapsed_ms, timestamp: new Date(started + elapsed_ms).toISOString() };
    return event.event_type === 'TurnCompleted' ? { ...event, ...times, duration_ms: elapsed_ms } : { ...event, ...times };
  });

describe('a replay is compared with a replay:', () => {
  const many = Array.from({ length: 40 }, (_, index) => ({ call_id: `g${index}`, tool_id: index % 4 === 0 ? 'flaky' : 'good' }));

  async function lateRecord(): Promise<readonly TraceEvent[]> {
    const kit = await recorded(...many);
    return late(((await kit.get('/v1/turns/t?limit=10000')).body as { events: readonly TraceEvent[] }).events, 252);
  }

  test('the value that a setting had gains nothing, however late the recording process was', async () => {
    const events = await lateRecord();
    const answer = await whatIfAnswer(events, { tools: { flaky: { retry: { maxAttempts: 2 } } } }, { maxUnknown: 1_000 });
    expect(answer).toMatchObject({ differences: [], unknown_attempts: 0 });
    expect(answer.replayed).toEqual(answer.unchanged);
    expect(answer.recorded.duration_ms).toBeGreaterThan(answer.unchanged.duration_ms + 50);
    const { duration_ms: duration, attempts, calls_succeeded: succeeded } = answer.ranges ?? {};
    expect(duration).toEqual({ low: answer.unchanged.duration_ms, high: answer.unchanged.duration_ms });
    expect([attempts, succeeded]).toEqual([
      { low: answer.unchanged.attempts, high: answer.unchanged.attempts },
      { low: answer.unchanged.calls_succeeded, high: answer.unchanged.calls_succeeded },
    ]);
    expect(answer.ranges?.observed_share).toBe(1);
  });

  test('calls that do not depend on the changed tool stay exact, and no figure is outside of its range', async () => {
    const events = await lateRecord();
    for (const maxAttempts of [1, 3, 4]) {
      const answer = await whatIfAnswer(events, { tools: { flaky: { retry: { maxAttempts } } } }, { maxUnknown: 1_000 });
      const { ranges } = answer;
      expect(ranges?.observed_share).toBeGreaterThanOrEqual(0.75);
      expect(ranges?.calls_succeeded.low).toBeGreaterThanOrEqual(30);
      for (const name of ['attempts', 'retries', 'calls_succeeded', 'calls_failed', 'calls_skipped', 'duration_ms'] as const) {
        const { low, high } = ranges?.[name] ?? { low: Number.NaN, high: Number.NaN };
        for (const side of [answer.replayed, answer.bounds.worst, answer.bounds.best]) {
          expect(side[name]).toBeGreaterThanOrEqual(low);
          expect(side[name]).toBeLessThanOrEqual(high);
        }
      }
    }
  });
});

test('YAML is accepted too', async () => {
  const kit = await recorded(flaky);
  const headers = { 'content-type': 'application/yaml' };
  const answer = await kit.post('/v1/turns/t/what-if', 'policy:\n  retry_policy: { max_attempts: 1 }\n', { headers });
  expect(answer).toMatchObject({ status: 200, body: { replayed: { attempts: 1 } } });
});

describe('is refused with the field and what is allowed:', () => {
  test.each([
    [
      { policy: { retry_policy: { max_atempts: 2 } } },
      { code: 'UNKNOWN_KEY', field: 'policy.retry_policy.max_atempts', suggestion: 'max_attempts' },
    ],
    [{ policy: { timeout_ms: -1 } }, { code: 'OUT_OF_RANGE', field: 'policy.timeout_ms' }],
    [{ tools: { flakey: { timeout_ms: 1 } } }, { code: 'UNKNOWN_TOOL', field: 'tools.flakey', suggestion: 'flaky' }],
    [{ tools: { flaky: { alternatives: ['nothing'] } } }, { field: 'tools.flaky.alternatives[0]' }],
    [{ turn: { on_deadline: 'stop' } }, { field: 'turn.on_deadline', allowed: "one of 'detach', 'abort'" }],
    [{ settings: {} }, { code: 'UNKNOWN_KEY', field: 'settings' }],
    [[], { code: 'WRONG_TYPE' }],
  ])('%j', async (body, error) => {
    const kit = await recorded(flaky);
    expect(await kit.post('/v1/turns/t/what-if', body)).toMatchObject({ status: 422, body: { error } });
  });

  test('an unknown turn, an invalid body', async () => {
    const kit = await recorded(flaky);
    expect(await kit.post('/v1/turns/tt/what-if', {})).toMatchObject({
      status: 404,
      body: { error: { code: 'UNKNOWN_TURN' } },
    });
    expect(await kit.post('/v1/turns/t/what-if?run=2', {})).toMatchObject({ status: 404 });
    expect(await kit.post('/v1/turns/t/what-if', '{')).toMatchObject({ status: 400, body: { error: { code: 'SYNTAX' } } });
    expect(await kit.post('/v1/turns/t/what-if', 'x', { headers: { 'content-type': 'text/plain' } })).toMatchObject({ status: 415 });
    expect(await kit.post('/v1/turns/t/what-if', { policy: { fallback: 'x'.repeat(5_000_000) } })).toMatchObject({ status: 413 });
  });

  test('a running turn', async () => {
    const kit = createKit();
    await kit.post('/v1/turns?wait=false', plan('t', { call_id: 'w', tool_id: 'wait' }));
    await until(async () => (await kit.get('/v1/turns/t')).status === 200);
    expect(await kit.post('/v1/turns/t/what-if', {})).toMatchObject({ status: 409, body: { error: { code: 'TURN_RUNNING' } } });
    kit.waiting.open();
  });

  test('settings under which the turn does not end', async () => {
    const kit = await recorded({ call_id: 's', tool_id: 'slow' });
    const headers = { 'content-type': 'application/yaml' };
    const answer = await kit.post('/v1/turns/t/what-if', 'policy: { timeout_ms: .inf }\nturn: { timeout_ms: null }', { headers });
    expect(answer).toMatchObject({
      status: 422,
      body: { error: { code: 'NOT_REPLAYABLE', message: expect.stringContaining('does not end') } },
    });
  });
});

describe('a large turn', () => {
  const manyCalls = Array.from({ length: 520 }, (_, index) => ({ call_id: `c${index}`, tool_id: 'broken' }));

  test('of 5,000 events is answered without blocking other work', async () => {
    const kit = await recorded(...manyCalls);
    const { events } = (await kit.get('/v1/turns/t?limit=10000')).body as { events: readonly TraceEvent[] };
    expect(events.length).toBeGreaterThan(5_000);
    const threads = new TurnWork({ running: 2, events: 10_000 });
    const signal = new AbortController().signal;
    let passed = 0;
    const rounds = setInterval(() => (passed += 1), 1);
    const reply = await threads.ask({ events, task: { kind: 'what_if', changes: { policy: { retry: { maxAttempts: 4 } } } }, signal });
    clearInterval(rounds);
    expect(passed).toBeGreaterThan(10);
    const answer = JSON.parse(new TextDecoder().decode(reply.refusal ? new Uint8Array() : reply.bytes)) as WhatIfAnswer;
    expect(answer).toMatchObject({ replayed: { attempts: 520 * 4 }, unknown_attempts: 1_040, bounds: { best: { calls_succeeded: 520 } } });
    expect(threads.size).toBe(0);
  });

  test('beyond the limit is refused', async () => {
    const kit = await recorded(flaky);
    const { events } = (await kit.get('/v1/turns/t')).body as { events: readonly TraceEvent[] };
    const signal = new AbortController().signal;
    const small = new TurnWork({ running: 1, limitMs: 10_000, events: 3, eventsHere: 0 });
    expect(await small.ask({ events, task: { kind: 'what_if', changes: {} }, signal })).toMatchObject({
      refusal: { status: 422, error: { code: 'TURN_TOO_LARGE', allowed: 'at most 3' } },
    });
    const short = new TurnWork({ running: 1, limitMs: 1, events: 1_000, eventsHere: 0 });
    expect(await short.ask({ events, task: { kind: 'what_if', changes: {} }, signal })).toMatchObject({
      refusal: { status: 422, error: { code: 'TASK_TOO_LARGE' } },
    });
    const one = new TurnWork({ running: 1, limitMs: 10_000, events: 1_000, eventsHere: 0 });
    const first = one.ask({ events, task: { kind: 'what_if', changes: {} }, signal });
    expect(await one.ask({ events, task: { kind: 'what_if', changes: {} }, signal })).toMatchObject({
      refusal: { status: 429, error: { code: 'TOO_MANY_TASKS' } },
    });
    expect(await first).toHaveProperty('bytes');
    expect(one.size).toBe(0);
    const two = new TurnWork({ running: 2, limitMs: 10_000, events: 1_000, eventsHere: 1_000 });
    const ask = (owner: string) => two.ask({ events, task: { kind: 'what_if', changes: {} }, owner, signal });
    const [his, hisSecond, hers] = await Promise.all([ask('bob'), ask('bob'), ask('alice')]);
    expect([his, hers]).toEqual([
      expect.objectContaining({ bytes: expect.anything() }),
      expect.objectContaining({ bytes: expect.anything() }),
    ]);
    expect(hisSecond).toMatchObject({ refusal: { error: { message: 'This client has too many what-ifs and exports running' } } });
  });

  test('of a small turn, under settings with many attempts: computed in a thread, or refused', async () => {
    const kit = await recorded(broken);
    const retries = (attempts: number): object => ({
      policy: { retry_policy: { max_attempts: attempts, initial_delay_ms: 0, max_total_time_ms: 1e12 } },
    });
    expect((await ask(kit, retries(502))).unknown_attempts).toBe(500);
    let passed = 0;
    const rounds = setInterval(() => (passed += 1), 1);
    const refused = await kit.post('/v1/turns/t/what-if', { ...retries(1_000_000_000), turn: { timeout_ms: null } });
    clearInterval(rounds);
    expect(refused).toMatchObject({
      status: 422,
      body: { error: { code: 'NOT_REPLAYABLE', message: expect.stringContaining('more than 20000') } },
    });
    expect(passed).toBeGreaterThan(10);
  });

  test('is stopped when its client disconnects, or the gateway ends', async () => {
    const kit = await recorded(flaky);
    const { events } = (await kit.get('/v1/turns/t')).body as { events: readonly TraceEvent[] };
    const threads = new TurnWork({ running: 2, limitMs: 10_000, events: 1_000, eventsHere: 0 });
    const controller = new AbortController();
    const left = threads.ask({ events, task: { kind: 'what_if', changes: {} }, signal: controller.signal });
    controller.abort();
    const ended = threads.ask({ events, task: { kind: 'what_if', changes: {} }, signal: new AbortController().signal });
    threads.endAll();
    expect((await left).refusal).toBeDefined();
    expect((await ended).refusal).toBeDefined();
    const goneBefore = threads.ask({ events, task: { kind: 'what_if', changes: {} }, signal: AbortSignal.abort() });
    expect((await goneBefore).refusal).toBeDefined();
    expect(threads.size).toBe(0);
  });
});

test('an interrupted turn has no end, which the what-if states', async () => {
  const kit = await recorded(flaky);
  const { events } = (await kit.get('/v1/turns/t')).body as { events: readonly TraceEvent[] };
  const answer = await whatIfAnswer(events.slice(0, 4), {}, { maxUnknown: 100 });
  expect(answer.recorded.outcome).toBe('interrupted');
  expect(answer.assumptions[0]).toBe('The recorded turn was interrupted; the part that did not run is assumed.');
  expect(['success', 'failed']).toContain(answer.replayed.outcome);
});
