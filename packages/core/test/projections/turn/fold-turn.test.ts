import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import type { TraceEvent } from '../../../src/engine/trace/events.ts';
import { createTurnFold, foldTurn } from '../../../src/projections/turn/fold-turn.ts';
import { interruptTurn } from '../../../src/projections/turn/interrupt-turn.ts';
import { circuitsOf, latenessOf, turnTotals } from '../../../src/projections/turn/totals.ts';
import { defineTool, ToolExecutionService } from '../../../src/index.ts';
import { manualSystem } from '../../../src/testing/index.ts';

/** A turn in which one tool recovers, another is replaced by its alternative, a third times out, and its dependent call is skipped. */
async function troubledTurn(): Promise<readonly TraceEvent[]> {
  const system = manualSystem();
  const fails = (times: number, afterMs: number): (() => Promise<string>) => {
    let calls = 0;
    return () =>
      new Promise((resolve, reject) => {
        calls += 1;
        const failed = calls <= times;
        system.setTimer(afterMs, () => (failed ? reject(Object.assign(new Error('down'), { status: 503 })) : resolve('ok')));
      });
  };
  const retry = { maxAttempts: 3, initialDelayMs: 10, jitterPercent: 0 };
  const tools = [
    defineTool({ name: 'flaky', retry, run: fails(2, 5) }),
    defineTool({ name: 'down', retry, alternatives: ['backup'], breaker: { failureThreshold: 2 }, run: fails(100, 5) }),
    defineTool({ name: 'backup', run: fails(0, 20) }),
    defineTool({
      name: 'hangs',
      timeoutMs: 50,
      abandonMs: 100,
      retry: { ...retry, maxAttempts: 1 },
      run: () => new Promise(() => undefined),
    }),
    defineTool({ name: 'last', run: fails(0, 5) }),
  ];
  const service = new ToolExecutionService({ tools, system, seed: 'fold' });
  const events: TraceEvent[] = [];
  service.subscribe((event) => void events.push(event));
  const turn = service.executeTurn({
    calls: [
      { callId: 'a', toolName: 'flaky' },
      { callId: 'b', toolName: 'down', dependsOn: ['a'] },
      { callId: 'c', toolName: 'hangs' },
      { callId: 'd', toolName: 'last', dependsOn: ['c'], optional: true },
    ],
  });
  await system.until(turn);
  await system.advance(1_000);
  await system.until(service.close());
  return events;
}

const callOf = (events: readonly TraceEvent[], callId: string) => foldTurn(events).calls.find((call) => call.callId === callId);

describe('foldTurn', () => {
  let events: readonly TraceEvent[];
  beforeAll(async () => {
    events = await troubledTurn();
  });

  it('returns the calls in the canonical order of the plan, with their status and the tool that answered', () => {
    const view = foldTurn(events);
    expect(view.calls.map(({ callId, status, end }) => [callId, status, end?.servedBy])).toEqual([
      ['a', 'success', 'flaky'],
      ['c', 'timeout', 'hangs'],
      ['b', 'success', 'backup'],
      ['d', 'skipped', 'last'],
    ]);
    expect(view).toMatchObject({ status: 'completed', outcome: 'partial', single: false, seed: 'fold', profile: 'spec' });
  });

  it('divides the time of each call into segments without gaps', () => {
    for (const { segments, endedMs } of foldTurn(events).calls) {
      const inCall = segments.filter(({ kind }) => kind !== 'late');
      for (const [index, segment] of inCall.entries()) {
        expect(segment.startMs).toBe(index === 0 ? 0 : inCall[index - 1]?.endMs);
        expect(segment.endMs).toBeGreaterThanOrEqual(segment.startMs);
      }
      expect(inCall.at(-1)?.endMs).toBe(endedMs);
    }
    const kinds = callOf(events, 'a')?.segments.map(({ kind, result }) => (kind === 'attempt' ? result : kind));
    expect(kinds).toEqual(['prepare', 'error', 'backoff', 'error', 'backoff', 'success']);
    expect(callOf(events, 'b')?.segments[0]).toMatchObject({ kind: 'dependency', startMs: 0, endMs: callOf(events, 'a')?.endedMs });
  });

  it('keeps work that outlives its call separate', () => {
    expect(callOf(events, 'c')).toMatchObject({ late: 'abandoned', end: { status: 'timeout' } });
    expect(callOf(events, 'c')?.segments.at(-1)).toMatchObject({ kind: 'late', result: 'abandoned', startMs: 50 });
  });

  it('returns failures and decisions with camelCase fields', () => {
    const b = callOf(events, 'b');
    expect(b?.failures.map(({ attempt, status, timedOut }) => [attempt, status, timedOut])).toEqual([
      [1, 503, false],
      [2, 503, false],
    ]);
    expect(b?.decisions.at(-1)).toMatchObject({
      inputs: { toolName: 'down', circuit: 'open', maxAttempts: 3, alternatives: [{ toolName: 'backup', circuit: 'closed' }] },
      decision: { action: 'use_alternative', alternative: 'backup', stoppedBy: 'circuit' },
    });
    expect(b).toMatchObject({ alternatives: ['backup'], currentTool: 'backup', attempt: 1, attempts: 3, retries: 1 });
  });

  it('counts the totals of the calls', () => {
    expect(turnTotals(foldTurn(events))).toMatchObject({
      calls: 4,
      succeeded: 2,
      timedOut: 1,
      skipped: 1,
      attempts: 7,
      retries: 3,
      retried: 1,
      recovered: 1,
      alternatives: 1,
      circuitsOpened: 1,
      late: 1,
    });
    expect(circuitsOf(foldTurn(events))).toMatchObject([{ toolName: 'down', state: 'open', opened: 1 }]);
  });

  it('ends with a single call that is the whole turn', async () => {
    const system = manualSystem();
    const service = new ToolExecutionService({ tools: [defineTool({ name: 'hello', run: () => 'hi' })], system });
    const seen: TraceEvent[] = [];
    service.subscribe((event) => void seen.push(event));
    await system.until(service.executeTool({ toolName: 'hello' }));
    await system.until(service.close());
    expect(foldTurn(seen)).toMatchObject({ single: true, status: 'completed', outcome: 'success', summary: 'Completed hello' });
  });

  it('returns the same view for events one by one as for all at once, and the same object until the next event', () => {
    const fold = createTurnFold();
    for (const event of events) {
      expect(fold.observe(event)).toBe(true);
      expect(fold.view()).toBe(fold.view());
    }
    expect(fold.view()).toEqual(foldTurn(events));
  });

  it('changes the revision of exactly the calls that an event changed', () => {
    const fold = createTurnFold();
    for (const event of events) {
      const before = new Map(fold.view().calls.map((call) => [call.callId, call.revision]));
      fold.observe(event);
      const changed = fold.view().calls.filter((call) => before.has(call.callId) && before.get(call.callId) !== call.revision);
      const callIds = 'call_id' in event ? [event.call_id] : [];
      expect(changed.map(({ callId }) => callId)).toEqual(changed.length === 0 ? [] : callIds);
    }
  });

  it('folds every prefix, since a process may stop at any time', () => {
    for (let length = 0; length <= events.length; length += 1) {
      const view = foldTurn(events.slice(0, length));
      expect(view.status === 'empty').toBe(length === 0);
      expect(turnTotals(view).calls).toBe(view.calls.length);
    }
  });

  it('cuts off what a turn without its process still shows as running', () => {
    const until = events.findIndex(({ event_type: type, elapsed_ms: ms }) => type === 'AttemptStarted' && ms > 0);
    const running = foldTurn(events.slice(0, until + 1));
    const cut = interruptTurn(running);
    expect(turnTotals(running).active).toBeGreaterThan(0);
    expect(turnTotals(cut)).toMatchObject({ active: 0, waiting: 0, attempts: turnTotals(running).attempts });
    expect(turnTotals(cut).interrupted).toBe(turnTotals(running).active);
    const segments = cut.calls.flatMap((call) => call.segments);
    expect(segments.filter(({ endMs }) => endMs === undefined)).toEqual([]);
    expect(segments.filter(({ result }) => result === 'interrupted').map(({ endMs }) => endMs)).toContain(running.elapsedMs);
    const ended = foldTurn(events);
    expect(interruptTurn(ended)).toBe(ended);
  });

  it('distinguishes a backoff from the time by which the process was late', () => {
    const shifted = events.map((event) => (event.elapsed_ms > 5 ? { ...event, elapsed_ms: event.elapsed_ms + 200 } : event));
    const backoffs = (trace: readonly TraceEvent[]) =>
      foldTurn(trace).calls.flatMap(({ segments }) => segments.filter(({ kind }) => kind === 'backoff'));
    expect(backoffs(events).map(latenessOf)).toEqual(backoffs(events).map(() => 0));
    expect(Math.max(...backoffs(shifted).map(latenessOf))).toBeCloseTo(200, 6);
  });

  it('passes only messages through `cleanMessage`', () => {
    const view = foldTurn(events, { cleanMessage: (message) => message.toUpperCase() });
    expect(view.calls[0]?.failures[0]?.message).toBe('DOWN');
    expect(view.calls[0]?.callId).toBe('a');
  });

  it('ignores the events of another turn', () => {
    const fold = createTurnFold();
    for (const event of events) fold.observe(event);
    const view = fold.view();
    expect(fold.observe({ ...(events[3] as TraceEvent), turn_id: 'another' })).toBe(false);
    expect(fold.view()).toBe(view);
  });

  it.each([true, false])('agrees with the report about escalation: critical %s', async (critical) => {
    const system = manualSystem();
    const down = defineTool({ name: 'down', run: () => Promise.reject(Object.assign(new Error('gone'), { status: 410 })) });
    const service = new ToolExecutionService({ tools: [down], system, seed: 'fold' });
    const report = await system.until(service.executeTurn({ calls: [{ callId: 'a', toolName: 'down', critical }] }));
    expect(report.trace.map(({ event_type }) => event_type)).toContain('Escalated');
    const view = foldTurn(report.trace);
    expect([report.escalated, view.escalated]).toEqual([critical, critical]);
    expect(turnTotals(view).escalated).toBe(critical ? 1 : 0);
    // The end of the turn is not needed to know it.
    expect(foldTurn(report.trace.slice(0, -1)).escalated).toBe(critical);
  });

  it('does not throw for damaged events in any order', () => {
    const anything = fc.oneof(fc.constant(undefined), fc.constant(null), fc.integer(), fc.string(), fc.constant({}), fc.constant([]));
    const damage = fc.record({ at: fc.nat(events.length - 1), field: fc.nat(12), value: anything });
    fc.assert(
      fc.property(fc.array(damage, { maxLength: 8 }), fc.shuffledSubarray([...events.keys()]), (damages, order) => {
        const broken: Record<string, unknown>[] = events.map((event) => ({ ...event }));
        for (const { at, field, value } of damages) {
          const event = broken[at] ?? {};
          event[Object.keys(event)[field] ?? 'event_type'] = value;
        }
        const view = foldTurn(order.map((index) => broken[index]) as unknown as TraceEvent[]);
        const totals = turnTotals(view);
        expect(totals.calls).toBe(view.calls.length);
        expect(view.events).toBeLessThanOrEqual(order.length);
      }),
    );
  });
});
