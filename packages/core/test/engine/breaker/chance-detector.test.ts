import { describe, expect, it } from 'vitest';
import { createBreaker, record, tryAcquire } from '../../../src/engine/breaker/breaker.ts';
import { neededRun } from '../../../src/engine/breaker/chance-detector.ts';
import type { Breaker, BreakerSettings, CircuitTransition, OutcomeKind } from '../../../src/engine/breaker/types.ts';

function breakerAt(failureShare: number, settings: Partial<BreakerSettings> = {}): Breaker {
  return Object.assign(createBreaker({ falseAlarmRate: 1e-6, ...settings }), { failureShare });
}

function tell(breaker: Breaker, outcome: OutcomeKind, now = 0): CircuitTransition | undefined {
  const { permit } = tryAcquire(breaker, now);
  if (permit === undefined) throw new Error('the circuit is closed');
  return record(breaker, permit, { outcome, durationMs: 10 }, now);
}

describe('how many failures in a row are no chance', () => {
  it.each([
    { share: 0, run: 5 },
    { share: 0.01, run: 5 },
    { share: 0.1, run: 6 },
    { share: 0.3, run: 12 },
    { share: 0.5, run: 20 },
    { share: 0.63, run: 30 },
    { share: 0.9, run: 30 },
    { share: 1, run: 30 },
  ])('$run where the usual share of failures is $share', ({ share, run }) => {
    const breaker = breakerAt(share);
    expect(neededRun(breaker)).toBe(run);
    for (let nth = 1; nth < run; nth += 1) expect(tell(breaker, 'transient')).toBeUndefined();
    expect(tell(breaker, 'transient')).toMatchObject({ to: 'open', reason: 'failure_threshold', failureCount: run });
  });

  it('no chance is better than the one that was asked for', () => {
    for (const falseAlarmRate of [1e-12, 1e-6, 1e-3, 0.5])
      for (const share of [0.05, 0.2, 0.5, 0.7]) {
        const run = neededRun(breakerAt(share, { falseAlarmRate, failureThreshold: 1, longestRun: 10_000 }));
        expect(share ** run).toBeLessThanOrEqual(falseAlarmRate * (1 + 1e-9));
        expect(run === 1 || share ** (run - 1) > falseAlarmRate * (1 - 1e-9)).toBe(true);
      }
  });

  it('of a tool that fails nearly always runs tell nothing: more is not asked than of one that fails three times in four', () => {
    expect(neededRun(breakerAt(0.99, { longestRun: 1_000 }))).toBe(neededRun(breakerAt(0.75, { longestRun: 1_000 })));
    expect(neededRun(breakerAt(0.99, { longestRun: 1_000 }))).toBe(49);
  });

  it('never fewer than the threshold, also where the longest run is shorter', () => {
    expect(neededRun(breakerAt(0.5, { failureThreshold: 8, longestRun: 3 }))).toBe(8);
    expect(neededRun(breakerAt(0, { failureThreshold: 8 }))).toBe(8);
  });

  it('a success begins the run anew', () => {
    const breaker = breakerAt(0);
    for (let nth = 0; nth < 4; nth += 1) tell(breaker, 'transient');
    tell(breaker, 'success');
    for (let nth = 0; nth < 4; nth += 1) expect(tell(breaker, 'transient')).toBeUndefined();
    expect(tell(breaker, 'transient')).toMatchObject({ to: 'open' });
  });

  it('what never fails in a row is seen by its rate, counted from the first call', () => {
    const breaker = breakerAt(0.7, { rate: { windowMs: 30_000, minimumCalls: 20, failureRate: 0.9 } });
    const seen: (CircuitTransition | undefined)[] = [];
    for (let nth = 1; nth <= 20; nth += 1) seen.push(tell(breaker, nth === 2 || nth === 11 ? 'success' : 'transient', nth));
    expect(seen.slice(0, -1).every((transition) => transition === undefined)).toBe(true);
    expect(seen.at(-1)).toMatchObject({ to: 'open', reason: 'failure_rate' });
  });
});
