import { describe, expect, it } from 'vitest';
import type { Distribution } from '../../src/index.ts';
import { meanOf, sampler } from '../../src/world/distribution.ts';

const count = 200_000;

/** Evenly spaced draws represent all possible draws. */
function samplesOf(distribution: Distribution): readonly number[] {
  const sample = sampler(distribution);
  return Array.from({ length: count }, (_, index) => sample((index + 0.5) / count));
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
const rank = (values: readonly number[], share: number): number => values[Math.floor(share * values.length)] ?? Number.NaN;

describe('a distribution', () => {
  it.each<[Distribution, number, number]>([
    [{ kind: 'constant', ms: 70 }, 70, 70],
    [{ kind: 'uniform', minMs: 100, maxMs: 300 }, 200, 298],
    [{ kind: 'exponential', meanMs: 200 }, 200, 200 * Math.log(100)],
    [{ kind: 'lognormal', meanMs: 200, p99Ms: 550 }, 200, 550],
    [{ kind: 'lognormal', meanMs: 200, p99Ms: 200 * 13.9 }, 200, 200 * 13.9],
    [{ kind: 'measured', valuesMs: [10, 20, 30, 100] }, 40, 100],
  ])('%o has its mean and its p99', (distribution, expectedMean, expectedP99) => {
    const samples = samplesOf(distribution);
    expect(mean(samples) / expectedMean).toBeCloseTo(1, 2);
    expect(meanOf(distribution)).toBe(expectedMean);
    expect(rank(samples, 0.99) / expectedP99).toBeCloseTo(1, 2);
  });

  it('gives larger durations for larger draws, and none below 0', () => {
    const samples = samplesOf({ kind: 'lognormal', meanMs: 200, p99Ms: 550 });
    expect(samples.every((value, index) => value > (samples[index - 1] ?? 0))).toBe(true);
  });

  it('gives a finite duration for the smallest and the largest draw', () => {
    const sample = sampler({ kind: 'lognormal', meanMs: 200, p99Ms: 550 });
    expect(sample(0)).toBeGreaterThan(0);
    expect(sample(1 - 2 ** -53)).toBeLessThan(20_000);
  });
});
