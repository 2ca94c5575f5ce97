/** When observations are not used: around signs of load, with more requests than ever, and at gates whose state is uncertain. */
import { describe, expect, it } from 'vitest';
import type { ToolPolicy } from '@holdfast/core';
import { loadSigns, marksOf } from '../src/load.ts';
import { whatIf } from '../src/index.ts';
import { play, type SmallWorld } from './support.ts';

type Turns = Parameters<typeof loadSigns>[0];
type Ran = Parameters<typeof marksOf>[1];

interface Attempt {
  readonly startedAt: number;
  readonly tookMs?: number;
  readonly stressed?: boolean;
}

/** Turns with one successful attempt each, unless it is a sign of load. */
const turnsOf = (attempts: readonly Attempt[]): Turns =>
  attempts.map(({ startedAt, tookMs = 100, stressed = false }) => ({
    beganAtEpochMs: 0,
    seen: [{ toolName: 'search', startedAt, endedAt: startedAt + tookMs, outcome: stressed ? undefined : { ok: true }, stressed }],
  })) as unknown as Turns;

/** The spans whose observations are not used, if the requests are made at these times, and one of them differs. */
function unused(attempts: readonly Attempt[], differsAt: number, requests: readonly number[] = []): unknown {
  const ran = [
    { turn: { seen: [] }, used: new Set(), beganAt: 0, trace: { requests: requests.map((at) => ({ toolName: 'search', at })) } },
  ];
  return marksOf(loadSigns(turnsOf(attempts), 0), ran as unknown as Ran, new Map([['search', [differsAt]]])).get('search') ?? [];
}

describe('observations near a sign of load', () => {
  const timeout: Attempt = { startedAt: 20_000, tookMs: 2_000, stressed: true };
  const usual = [0, 10_000, 30_000].map((startedAt) => ({ startedAt }));

  it.each([
    [14_999, []],
    [15_000, [{ from: 15_000, to: 34_000 }]],
    [27_000, [{ from: 27_000, to: 34_000 }]],
    [27_001, []],
  ])('with a request that differs at %i', (differsAt, expected) => {
    expect(unused([...usual, timeout], differsAt)).toEqual(expected);
  });

  it.each([
    [399, []],
    [400, [{ from: 20_000, to: 30_800 }]],
  ])('an answer that took %i ms instead of 100', (tookMs, expected) => {
    expect(unused([...usual, { startedAt: 20_000, tookMs }], 20_000)).toEqual(expected);
  });
});

describe('observations with more requests in a second than were ever answered well', () => {
  const perSecond = (count: number, from: number): readonly number[] => Array.from({ length: count }, (_, index) => from + index);
  const recorded = (count: number): readonly Attempt[] => perSecond(count, 0).map((startedAt) => ({ startedAt }));

  it.each([
    [3, 10, []],
    [3, 11, [{ from: 5_000, to: 15_000 }]],
    [20, 20, []],
    [20, 21, [{ from: 5_000, to: 15_000 }]],
  ])('%i recorded, %i made', (before, made, expected) => {
    expect(unused(recorded(before), 5_000, perSecond(made, 5_000))).toEqual(expected);
  });
});

const world: SmallWorld = {
  seed: 'seed',
  tools: { search: { timeoutMs: 1_000, retry: { maxAttempts: 2 }, breaker: false } },
  turns: Array.from({ length: 60 }, (_, index) => ({ at: index * 500, calls: [{ callId: 'c', toolName: 'search' }] })),
  turn: {},
  downs: [],
  failing: 0,
  hanging: 0,
  latencyMs: 100,
};

it('attempts near a sign of load are unknown when the requests there differ', () => {
  const observedShare = (how: 'errors' | 'hangs'): number => {
    const traces = play({ ...world, downs: [{ tool: 'search', from: 5_000, to: 7_000, how }] });
    return whatIf(traces, { tools: { search: { retry: { maxAttempts: 1 } } } }).total.observedShare;
  };
  expect(observedShare('errors')).toBe(1);
  expect(observedShare('hangs')).toBeLessThan(0.9);
});

describe('the uncertainty of a circuit', () => {
  const lastTurn = (policy: ToolPolicy): number | undefined => {
    const tools = { search: { timeoutMs: 1_000, retry: { maxAttempts: 1 }, breaker: { failureThreshold: 3, openMs: 1_000 }, ...policy } };
    const traces = play({ ...world, tools, downs: [{ tool: 'search', from: 2_000, to: 4_000, how: 'errors' }] });
    return whatIf(traces, { tools: { search: { retry: { maxAttempts: 2 } } } }).turns.at(-1)?.observedShare;
  };

  it('ends with successes', () => {
    expect(lastTurn({})).toBe(1);
  });

  it.each<[string, ToolPolicy]>([
    ['waits for recovery', { waitForRecovery: { maxWaitMs: 5_000 } }],
    ['hedges after its 95th percentile', { effect: 'read', hedge: { afterMs: 'p95' } }],
  ])('does not end for a tool that %s', (_what, policy) => {
    expect(lastTurn(policy)).toBe(0);
  });
});
