/** What is recommended, and with which confidence; and that only the tool itself is simulated. */
import { describe, expect, it } from 'vitest';
import type { ToolPolicy } from '@holdfast/core';
import { tune } from '../../src/index.ts';
import type { Fit } from '../../src/tune/fit.ts';
import { recommend } from '../../src/tune/front.ts';
import type { Recommendation, TunePoint } from '../../src/tune/types.ts';
import { history, smallWorld } from '../whatif/lab-support.ts';

function point(simulated: number, low: number, high: number, changes: ToolPolicy = {}): TunePoint {
  return {
    changes,
    words: [],
    lab: { success: simulated, requestsPerCall: 1, addedLatencyMs: 0, p99Ms: 0 },
    history: { success: { low, high }, requestsPerCall: { low: 1, high: 1 }, meanMs: { low: 1, high: 1 }, observedShare: 1 },
    onFront: true,
  };
}

const fit = {
  fitted: { calls: 1_000, longestOutageMs: 5_000, timeoutShare: 0 },
  assumed: new Set(),
  failures: 100,
} as unknown as Fit;

function recommended(current: TunePoint, other: TunePoint): Recommendation | undefined {
  const points = [current, other];
  return recommend({ current, points, fit, withoutAssumed: ({ lab }) => lab, turns: { all: 1_000, evaluated: 1_000 } });
}

describe('a candidate that is better in the simulation', () => {
  const changes = { retry: { maxAttempts: 5 } };

  it('is recommended only if it may have done as well on the recorded calls', () => {
    const current = point(0.8, 0.75, 0.8);
    expect(recommended(current, point(0.99, 0.5, 0.74, changes))).toBeUndefined();
    expect(recommended(current, point(0.99, 0.5, 0.75, changes))?.confidence).toBe('high');
  });

  it('has low confidence if far fewer calls succeeded than in the simulation', () => {
    expect(recommended(point(0.8, 0.69, 0.69), point(0.99, 0.5, 0.9, changes))?.confidence).toBe('low');
  });
});

it('alternatives and fallbacks are not simulated', async () => {
  const world = smallWorld([{ service: 'search', fromMs: 0, forMs: 90_000, kind: 'random_failures', share: 0.3 }]);
  const both = {
    ...world,
    services: { ...world.services, backup: { servers: 20, latency: { kind: 'constant', ms: 1 } } },
    tools: { ...world.tools, backup: { service: 'backup' } },
  } as const;
  const simulated = async (policy: ToolPolicy): Promise<TunePoint['lab']> => {
    const { traces } = history(both, { profile: 'spec', tools: { search: { retry: { maxAttempts: 1 }, breaker: false, ...policy } } }, 'x');
    return (await tune({ toolName: 'search', traces, seeds: 1, maxCandidates: 1, maxTurns: 1 })).current.lab;
  };
  const alone = await simulated({});
  expect(alone.success).toBeLessThan(0.8);
  expect(await simulated({ alternatives: ['backup'], fallback: { value: 'none' } })).toEqual(alone);
});
