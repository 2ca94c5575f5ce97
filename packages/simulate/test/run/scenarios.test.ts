/** The scenarios against what was measured elsewhere of a client that does nothing: 200 agents, one service of 150 requests per second. */
import { describe, expect, it } from 'vitest';
import type { ScenarioName, Summary } from '../../src/index.ts';
import { none, scenarios, simulate, summarize } from '../../src/index.ts';

const seeds = ['1', '2'];

const known = new Map<ScenarioName, Summary>();

function withoutPolicy(name: ScenarioName): Summary {
  const before = known.get(name);
  if (before) return before;
  const summary = summarize(seeds.map((seed) => simulate(scenarios[name], none, seed)));
  known.set(name, summary);
  return summary;
}

describe('without a policy', () => {
  it.each<[ScenarioName, { success: number; during?: number; after30s?: number; meanMs: number; p99Ms: number; failedWaitMs?: number }]>([
    ['nominal', { success: 100, meanMs: 201, p99Ms: 556 }],
    ['outage', { success: 82.7, during: 0, after30s: 100, meanMs: 200, p99Ms: 549, failedWaitMs: 20 }],
    ['black_hole', { success: 82.7, during: 0, after30s: 100, meanMs: 200, p99Ms: 549, failedWaitMs: 5_000 }],
    ['random_failures', { success: 70.3, during: 70, meanMs: 201, p99Ms: 560, failedWaitMs: 20 }],
    ['brownout', { success: 55, during: 7.2, after30s: 18, meanMs: 514, p99Ms: 4_600, failedWaitMs: 4_000 }],
    ['rate_limit', { success: 76.7, during: 76.8, meanMs: 1_400, p99Ms: 3_700 }],
    ['flapping', { success: 76.9, during: 46.1, after30s: 100, meanMs: 200, p99Ms: 547, failedWaitMs: 20 }],
    ['permanent', { success: 100, during: 100, meanMs: 200, p99Ms: 547 }],
  ])('%s is as it was measured', (name, measured) => {
    const { success, during, after30s, meanMs, p99Ms, failedWaitMs } = withoutPolicy(name);
    const within = (points: number, seen: number | null, expected: number | undefined): void => {
      if (expected !== undefined)
        expect(Math.abs((seen ?? Number.NaN) * 100 - expected), `${seen} for ${expected}`).toBeLessThanOrEqual(points);
    };
    const near = (share: number, seen: number | null, expected: number | undefined): void => {
      if (expected !== undefined)
        expect(Math.abs((seen ?? Number.NaN) / expected - 1), `${seen} for ${expected}`).toBeLessThanOrEqual(share);
    };
    within(2, success, measured.success);
    within(3, during, measured.during);
    within(3, after30s, measured.after30s);
    near(0.1, meanMs, measured.meanMs);
    near(0.15, p99Ms, measured.p99Ms);
    near(0.1, failedWaitMs, measured.failedWaitMs);
  });

  it('the brownout is over 34 s after it ends, the outage at once', () => {
    const recoveries = (name: ScenarioName) => withoutPolicy(name).recoveryS;
    expect(Math.abs(Number(recoveries('brownout')) - 34)).toBeLessThanOrEqual(2);
    expect(recoveries('outage')).toBe(0);
  });
});
