import { describe, expect, it } from 'vitest';
import type { RunMetrics } from '../../src/metrics/metrics.ts';
import { chart } from '../../src/report/chart.ts';
import { duration, figureOf, percent } from '../../src/report/figure.ts';
import { judge } from '../../src/report/judgement.ts';
import { standingOf, type Standing } from '../../src/report/standing.ts';
import { comparisonTable } from '../../src/report/table.ts';

const series = { begun: [1, 1, 1], success: [1, null, 0], latencyMs: [200, null, null], requests: [1, 3, 2], waiting: [0, 0, 0] };

function run(world: string, contender: string, figures: Partial<RunMetrics> = {}): RunMetrics {
  return {
    world,
    contender,
    seed: 'a',
    turns: 100,
    calls: 100,
    requests: 100,
    success: 1,
    during: 1,
    after30s: 1,
    partialTurns: 0,
    callSuccess: 1,
    meanMs: 200,
    p50Ms: 180,
    p95Ms: 400,
    p99Ms: 550,
    failedWaitMs: null,
    requestsPerCall: 1,
    requestsPerCallDuring: 1,
    peakPerSecond: 120,
    recoveryS: 0,
    duplicates: 0,
    wastedRequests: 0,
    faults: [{ kind: 'outage', of: 's', fromMs: 1000, untilMs: 2000 }],
    notes: {},
    series,
    ...figures,
  };
}

const standing = (world: string, contender: string, figures: Partial<RunMetrics> = {}): Standing =>
  standingOf([run(world, contender, figures)]);

const missed = (
  world: string,
  own: Partial<RunMetrics>,
  other: Partial<RunMetrics> = {},
  bound: Partial<RunMetrics> = {},
): readonly string[] =>
  judge([standing(world, 'adaptive', own), standing(world, 'other', other), standing(world, 'oracle', bound)], 'adaptive')
    .filter(({ met }) => !met)
    .map(({ wanted }) => wanted);

describe('judgement', () => {
  it('is met when no figure is worse', () => {
    expect(missed('outage', {})).toEqual([]);
  });

  it.each([
    ['success overall: within 1 % of the best', { success: 0.889 }, { success: 0.9 }],
    ['success in the 30 s after: within 1 % of the best', { after30s: 0.889 }, { after30s: 0.9 }],
    ['requests per call while the fault lasts: at most 1.25', { requestsPerCallDuring: 1.251 }, {}],
    ['recovery: no slower than the best', { recoveryS: 1 }, { recoveryS: 0 }],
    ['recovery: no slower than the best', { recoveryS: 'never' }, { recoveryS: 9 }],
  ] as const)('misses %s', (wanted, own, other) => {
    expect(missed('outage', own, other)).toEqual([wanted]);
  });

  it('does not compare with contenders that know the future or never recovered', () => {
    expect(missed('outage', { success: 0.9, recoveryS: 9 }, { success: 0.9, recoveryS: 'never' }, { success: 1, recoveryS: 0 })).toEqual(
      [],
    );
  });

  it('has separate targets for some worlds', () => {
    expect(missed('flapping', { success: 0.839 }, { success: 0.839 })).toEqual(['success overall: at least 84.0 %']);
    expect(missed('random_failures', { requestsPerCallDuring: 1.45 })).toEqual([]);
    expect(missed('random_failures', { requestsPerCallDuring: 1.46 })).toHaveLength(1);
    expect(missed('rate_limit', { success: 0.9999 })).toEqual(['success overall: at least 100.0 %']);
  });
});

describe('tables', () => {
  it('never round up to 100 %', () => {
    expect(percent(0.99999)).toBe('99.9');
    expect(percent(1)).toBe('100.0');
    expect(duration(999.4)).toBe('999 ms');
    expect(duration(12_345)).toBe('12 s');
  });

  it('show mean and spread, and how many never recovered', () => {
    expect(figureOf([0.8, 0.9, null])).toEqual({ mean: expect.closeTo(0.85, 10), spread: expect.closeTo(0.0707, 3), runs: 2 });
    expect(figureOf([null])).toBeUndefined();
    const both = standingOf([run('outage', 'a', { success: 0.8, recoveryS: 4 }), run('outage', 'a', { success: 0.9, recoveryS: 'never' })]);
    expect(comparisonTable([both])).toContain('85.0 ±7.1');
    expect(comparisonTable([both])).toContain('4, never in 1 of 2');
    expect(comparisonTable([both])).not.toContain('done twice');
    expect(comparisonTable([standing('outage', 'a', { duplicates: 3 })])).toContain('done twice');
  });
});

describe('chart', () => {
  it('has one line per run in each panel, and escapes names', () => {
    const svg = chart([run('outage', 'a'), run('outage', '<b>')]);
    expect(svg.match(/stroke-linejoin/g)).toHaveLength(4);
    expect(svg).toContain('&lt;b>');
    expect(svg).not.toContain('NaN');
  });
});
