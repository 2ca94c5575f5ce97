import { describe, expect, it } from 'vitest';
import { arrivalTimes, lowRate } from '../../src/world/arrivals.ts';
import type { Burst } from '../../src/index.ts';

const burst: Burst = {
  every: { kind: 'uniform', minMs: 12_000, maxMs: 20_000 },
  lasts: { kind: 'constant', ms: 2_000 },
  ratePerSecond: 400,
};

function timesUntil(end: number, next: () => number): readonly number[] {
  const times: number[] = [];
  for (let time = next(); time < end; time = next()) times.push(time);
  return times;
}

describe('open arrivals', () => {
  it('come at their rate, at random', () => {
    const times = timesUntil(1_000_000, arrivalTimes({ kind: 'open', ratePerSecond: 20 }, 'a', '0'));
    // 20,000 expected, with a standard deviation of 141.
    expect(Math.abs(times.length - 20_000)).toBeLessThan(600);
    const gaps = times.map((time, index) => time - (times[index - 1] ?? 0));
    // Of exponential gaps e^-2 are longer than twice their mean.
    expect(gaps.filter((gap) => gap > 100).length / gaps.length).toBeCloseTo(Math.exp(-2), 1.5);
    expect(gaps.every((gap) => gap >= 0)).toBe(true);
  });

  it('keep their average with bursts', () => {
    const times = timesUntil(4_000_000, arrivalTimes({ kind: 'open', ratePerSecond: 72, burst }, 'a', '0'));
    expect(times.length / 4_000 / 72).toBeCloseTo(1, 1.3);
    const perSecond = new Map<number, number>();
    for (const time of times) perSecond.set(Math.floor(time / 1_000), (perSecond.get(Math.floor(time / 1_000)) ?? 0) + 1);
    const most = [...perSecond.values()].reduce((one, other) => Math.max(one, other), 0);
    expect(most).toBeGreaterThan(380);
    expect(most).toBeLessThan(500);
  });

  it('have the remaining rate between bursts', () => {
    // 72 per second over 16 s are 1,152; a burst takes 800 of them, 352 are left for 14 s.
    expect(lowRate(burst, 72)).toBeCloseTo(352 / 14);
    expect(lowRate(burst, 10)).toBe(0);
  });

  it('continue when the rate between bursts is 0', () => {
    const times = timesUntil(100_000, arrivalTimes({ kind: 'open', ratePerSecond: 10, burst }, 'a', '0'));
    expect(times.length).toBeGreaterThan(1_000);
  });
});
