import { describe, expect, it } from 'vitest';
import { profiles } from '@holdfast/core';
import { type WorldFault, tune } from '../../src/index.ts';
import { differing, halfway, keyOf, wordsOf } from '../../src/tune/candidates.ts';
import { fitTool } from '../../src/tune/fit.ts';
import { frontOf } from '../../src/tune/front.ts';
import type { LabFigures } from '../../src/tune/types.ts';
import { readTurns } from '@holdfast/what-if';
import { history, smallWorld } from '../whatif/lab-support.ts';

const spec = profiles.spec.tool;
const always = { service: 'search', fromMs: 0, forMs: 120_000 } as const;

function fitOf(...faults: readonly WorldFault[]): ReturnType<typeof fitTool> {
  return fitTool(
    readTurns(history(smallWorld(faults), { profile: 'spec', policy: { breaker: false } }, 'fit').traces).turns,
    'search',
    spec,
  );
}

describe('what the record shows about a tool', () => {
  it('finds the limit of a tool that throttles, and does not count a refusal as a failure or an outage', () => {
    const { fitted, worlds } = fitOf({ ...always, kind: 'rate_limit', limit: 20, windowMs: 10_000 });
    expect(fitted.throttledShare).toBeGreaterThan(0.02);
    expect(fitted).toMatchObject({ failureShare: 0, longestOutageMs: 0 });
    const { limit = 0, windowMs } = worlds[0]?.services['search']?.rateLimit ?? {};
    expect(windowMs).toBeGreaterThanOrEqual(5_000);
    expect(windowMs).toBeLessThanOrEqual(10_000);
    expect(limit).toBeGreaterThanOrEqual(16);
    expect(limit).toBeLessThanOrEqual(26);
  });

  it('makes the outage of the lab as long as the recorded one, and assumes one only if none was recorded', () => {
    const recorded = fitOf({ service: 'search', fromMs: 10_000, forMs: 6_000, kind: 'outage' });
    const downMs = (fit: typeof recorded): number => Number(fit.worlds[1]?.faults.at(-1)?.forMs);
    expect(recorded.assumed.size).toBe(0);
    expect(downMs(recorded)).toBe(recorded.fitted.longestOutageMs);
    expect(downMs(recorded)).toBeLessThan(9_000);
    const none = fitOf();
    expect([...none.assumed].map(({ name }) => name)).toEqual(['outage']);
    expect(downMs(none)).toBe(20_000);
  });

  it('makes the outage of the lab no longer than a third of its time', () => {
    const down = { service: 'search', fromMs: 5_000, forMs: 30_000, kind: 'outage' } as const;
    const agents = [
      { count: 10, arrivals: { kind: 'open', ratePerSecond: 12 }, turn: [{ toolName: 'search' }], deadlineMs: 30_000 },
    ] as const;
    const { traces } = history(smallWorld([down], { agents }), { profile: 'spec', policy: { breaker: false } }, 'fit');
    const { fitted, worlds } = fitTool(readTurns(traces).turns, 'search', spec);
    expect(fitted.longestOutageMs).toBeGreaterThan(25_000);
    expect(worlds[1]?.durationMs).toBe(60_000);
    expect(worlds[1]?.faults.at(-1)?.forMs).toBe(20_000);
  });
});

describe('settings that are tried', () => {
  it('treat an absent setting as off', () => {
    const changes = { waitForRecovery: false, retryBudget: false } as const;
    expect(keyOf({ ...spec, ...changes })).toBe(keyOf(spec));
    expect(differing(spec, changes)).toEqual({});
    expect(wordsOf(spec, changes)).toEqual([]);
  });

  it('have rounded numbers', () => {
    expect(halfway(spec, { breaker: { openMs: 250 }, retry: { maxAttempts: 8 } })).toEqual({
      breaker: { openMs: 15_000 },
      retry: { maxAttempts: 7 },
    });
  });
});

const figures = (success: number, requestsPerCall: number): { readonly lab: LabFigures } => ({
  lab: { success, requestsPerCall, addedLatencyMs: 0, p99Ms: 0 },
});

it('include the first of several equal settings in the front', () => {
  const points = [figures(0.9, 1), figures(0.9005, 1.004), figures(0.95, 1.2), figures(0.94, 1.3)];
  expect([...frontOf(points)]).toEqual([points[0], points[2]]);
});

it('has low confidence in a change that helps only in an assumed outage', async () => {
  const { traces } = history(smallWorld([]), { profile: 'spec' }, 'healthy');
  const { recommended } = await tune({ toolName: 'search', traces, seeds: 1, maxCandidates: 3, maxTurns: 20 });
  expect(recommended?.confidence).toBe('low');
  expect(recommended?.because.join(' ')).toMatch(/No outage was recorded: .* Without it, the change has no benefit\./);
  expect(recommended?.because.join(' ')).toMatch(/newest 20 of \d+ turns were evaluated/);
  expect(recommended?.reason).not.toContain('-');
});
