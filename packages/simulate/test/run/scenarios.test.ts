/** The scenarios compared with measurements of a client without a policy: 200 agents, one service of 150 requests per second. */
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
  ])('%s matches the measurements', (name, measured) => {
    const { success, during, after30s, meanMs, p99Ms, failedWaitMs } = withoutPolicy(name);
    const points = (seen: number | null, expected = (seen ?? 0) * 100): number => Math.abs((seen ?? 0) * 100 - expected);
    const share = (seen: number | null, expected = seen ?? 0): number => Math.abs((seen ?? 0) - expected) / Math.max(1, expected);
    expect(points(success, measured.success)).toBeLessThanOrEqual(2);
    expect(points(during, measured.during)).toBeLessThanOrEqual(3);
    expect(points(after30s, measured.after30s)).toBeLessThanOrEqual(3);
    expect(share(meanMs, measured.meanMs)).toBeLessThanOrEqual(0.1);
    expect(share(p99Ms, measured.p99Ms)).toBeLessThanOrEqual(0.15);
    expect(share(failedWaitMs, measured.failedWaitMs)).toBeLessThanOrEqual(0.1);
  });

  it('turns recover 34 s after the brownout, and immediately after the outage', () => {
    const recoveries = (name: ScenarioName) => withoutPolicy(name).recoveryS;
    expect(Math.abs(Number(recoveries('brownout')) - 34)).toBeLessThanOrEqual(2);
    expect(recoveries('outage')).toBe(0);
  });
});
