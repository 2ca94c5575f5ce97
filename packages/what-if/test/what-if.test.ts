import { describe, expect, it } from 'vitest';
import type { TraceEvent } from '@holdfast/core';
import { type PolicyChanges, type WhatIf, whatIf } from '../src/index.ts';
import { play, type SmallWorld } from './support.ts';

const world: SmallWorld = {
  seed: 'seed',
  tools: { search: { retry: { maxAttempts: 2 }, breaker: false } },
  turns: Array.from({ length: 20 }, (_, index) => ({ at: index * 500, calls: [{ callId: 'c', toolName: 'search' }] })),
  turn: {},
  downs: [{ tool: 'search', from: 2_000, to: 5_000, how: 'errors' }],
  failing: 0.2,
  hanging: 0,
  latencyMs: 100,
};

const traces = play(world);
const ask = (maxAttempts: number, given: readonly (readonly TraceEvent[])[] = traces): WhatIf =>
  whatIf(given, { tools: { search: { retry: { maxAttempts } } } });

const shuffled = traces.toReversed();
const [first, second] = traces as readonly [readonly TraceEvent[], readonly TraceEvent[]];
const start = first[0] as TraceEvent;

describe('a what-if over many turns', () => {
  it('gives exact figures for fewer attempts, since each of them was observed', () => {
    const { total, assumptions } = ask(1);
    expect(total.observedShare).toBe(1);
    expect(total.changed.requests).toEqual({ low: 20, high: 20 });
    expect(total.changed.retries).toEqual({ low: 0, high: 0 });
    expect(total.changed.succeeded.low).toBe(total.changed.succeeded.high);
    expect(total.changed.succeeded.low).toBeLessThan(total.recorded.succeeded);
    expect(assumptions).toHaveLength(1);
  });

  it('gives a range for more attempts, wider the more there are', () => {
    const [three, five] = [ask(3), ask(5)];
    const failed = three.total.recorded.failed;
    expect(failed).toBeGreaterThan(2);
    expect(three.total.changed.succeeded).toEqual({ low: 20 - failed, high: 20 });
    expect(three.total.observedShare).toBeCloseTo((20 - failed) / 20, 10);
    expect(five.total.changed.succeeded).toEqual(three.total.changed.succeeded);
    expect(five.total.changed.requests.low).toBe(three.total.changed.requests.low);
    expect(five.total.changed.requests.high).toBeGreaterThan(three.total.changed.requests.high);
    expect(three.assumptions.join(' ')).toMatch(/turns depend on attempts that were never made/);
  });

  it('adds calls up to tools, tools to all, turns to all', () => {
    const { total, tools, turns, whole } = ask(3);
    expect(tools['search']).toEqual(total);
    expect(turns.reduce((sum, { changed }) => sum + changed.requests.high, 0)).toBe(total.changed.requests.high);
    expect(turns.reduce((sum, turn) => sum + turn.whole.changed.low, 0)).toBe(whole.changed.low);
  });

  it('evaluates the turns in the order in which they began, in any input order', () => {
    expect({ ...ask(3, shuffled), leftOut: [] }).toEqual({ ...ask(3), leftOut: [] });
  });

  it.each<[string, readonly TraceEvent[], string]>([
    ['a single call of an older version', first.slice(1).map((event, index) => ({ ...event, seq: index + 1 })), 'no_settings'],
    ['a turn without its start', first.slice(1), 'unreadable'],
    ['one that was interrupted', first.slice(0, -1), 'interrupted'],
    ['one with a missing event', [start, ...first.slice(2)], 'unreadable'],
    ['nothing', [], 'unreadable'],
    ['one of an older format', [{ ...start, tools: undefined } as unknown as TraceEvent, ...first.slice(1)], 'older_format'],
    ['a duplicate', second, 'duplicate'],
  ])('leaves out %s, and names it', (_what, events, reason) => {
    const { leftOut, turns } = ask(1, [second, events]);
    expect(leftOut).toHaveLength(1);
    expect(leftOut[0]).toMatchObject({ index: 1, reason });
    expect(leftOut[0]?.message).toMatch(/\w/);
    expect(turns.map(({ turnId }) => turnId)).toEqual(['turn-1']);
  });

  it('leaves out a turn that does not end under the settings', () => {
    const hanging = play({ ...world, downs: [{ tool: 'search', from: 0, to: 20_000, how: 'hangs' }], turns: world.turns.slice(0, 1) });
    const { leftOut, turns } = whatIf(hanging, { policy: { timeoutMs: Infinity }, turn: { timeoutMs: null } });
    expect(leftOut).toMatchObject([{ turnId: 'turn-0', reason: 'too_much' }]);
    expect(turns).toEqual([]);
  });

  it('rejects an unknown setting, and ends when it is cancelled', () => {
    expect(() => whatIf(traces, { policy: { timeoutMs: -1 } })).toThrow(/timeoutMs/);
    expect(() => whatIf(traces, { turn: { concurrency: 'many' } } as unknown as PolicyChanges)).toThrow(/concurrency/);
    expect(() => whatIf(traces, { policy: { timeoutMs: 1_000 } }, { isCancelled: () => true })).toThrow(/cancelled/);
    const progress: string[] = [];
    whatIf(traces, { policy: { timeoutMs: 1_000 } }, { onProgress: (done, total) => progress.push(`${done}/${total}`) });
    expect(progress).toEqual(traces.map((_, index) => `${index + 1}/20`));
  });

  it('does not rely on gates that others have affected', () => {
    const others = play({ ...world, tools: { search: { retry: { maxAttempts: 1 }, breaker: { failureThreshold: 3, openMs: 60_000 } } } });
    // Without the turns that opened the circuit, nothing in these explains why calls were refused.
    const rest = others.filter((events) => events.some(({ event_type }) => event_type === 'CallRefused'));
    expect(rest.length).toBeGreaterThan(5);
    const { total, assumptions } = whatIf(rest.map(withoutCircuits), { policy: { maxOutputChars: 1_000 } });
    expect(assumptions.join(' ')).toMatch(/affected by more than these traces show.*search/);
    expect(total.changed.succeeded.low).toBeLessThanOrEqual(total.recorded.succeeded);
    expect(total.changed.succeeded.high).toBeGreaterThanOrEqual(total.recorded.succeeded);
  });
});

const withoutCircuits = (events: readonly TraceEvent[]): readonly TraceEvent[] =>
  events.map((event) => (event.event_type === 'TurnStarted' ? { ...event, circuits: {} } : event));
