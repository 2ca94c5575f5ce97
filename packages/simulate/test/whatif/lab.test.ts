import { describe, expect, it } from 'vitest';
import type { ToolPolicy } from '@holdfast/core';
import { type WorldFault } from '../../src/index.ts';
import { whatIf, type WhatIf } from '@holdfast/what-if';
import { history, smallWorld } from './lab-support.ts';

const worlds: Readonly<Record<string, readonly WorldFault[]>> = {
  'random failures': [{ service: 'search', fromMs: 0, forMs: 90_000, kind: 'random_failures', share: 0.3 }],
  outage: [{ service: 'search', fromMs: 20_000, forMs: 15_000, kind: 'outage' }],
  'black hole': [{ service: 'search', fromMs: 20_000, forMs: 10_000, kind: 'black_hole' }],
  brownout: [{ service: 'search', fromMs: 20_000, forMs: 20_000, kind: 'brownout', capacity: 0.02 }],
  'rate limit': [{ service: 'search', fromMs: 10_000, forMs: 30_000, kind: 'rate_limit', limit: 10, windowMs: 5_000 }],
};

const policies: Readonly<Record<string, ToolPolicy>> = {
  'one attempt': { retry: { maxAttempts: 1 } },
  'a shorter time limit': { timeoutMs: 500 },
  'a circuit that opens soon and closes soon': { breaker: { failureThreshold: 2, openMs: 1_000 } },
  'no circuit': { breaker: false },
  waiting: { waitForRecovery: { maxWaitMs: 20_000 }, breaker: { openMs: 1_000 } },
};

const seed = 'seed';

describe.each(Object.entries(worlds))('what-if in the lab: %s', (_name, faults) => {
  const world = smallWorld(faults);
  const recorded = history(world, { profile: 'spec' }, seed);

  it.each(Object.entries(policies))('with %s: the real result is within the range', (_words, policy) => {
    const truth = whatIf(history(world, { profile: 'spec', policy }, seed).traces, {});
    const estimate = whatIf(recorded.traces, { policy });
    expect(estimate.leftOut).toEqual([]);
    expect(estimate.turns).toHaveLength(truth.turns.length);
    expect(outside(estimate, truth)).toEqual([]);
  });

  it('gives the recorded figures when nothing is changed', () => {
    const { total, whole } = whatIf(recorded.traces, { policy: { maxOutputChars: 1_000_000 } });
    expect(total.observedShare).toBe(1);
    expect(total.changed.succeeded).toEqual({ low: total.recorded.succeeded, high: total.recorded.succeeded });
    expect(total.changed.requests).toEqual({ low: total.recorded.requests, high: total.recorded.requests });
    expect(whole.changed).toEqual({ low: whole.recorded, high: whole.recorded });
  });
});

/** Calls whose real result is outside of the range, figure by figure. How long a call takes depends slightly on the load, even without signs of load. */
function outside(estimate: WhatIf, truth: WhatIf): readonly string[] {
  const real = new Map(truth.turns.map((turn) => [turn.turnId, turn]));
  return estimate.turns.flatMap(({ turnId, parts }) =>
    parts.flatMap(({ callId, changed }, index) => {
      const own = real.get(turnId)?.parts[index]?.recorded;
      if (!own) return [`${turnId} is missing`];
      return (['succeeded', 'failed', 'requests', 'retries'] as const).flatMap((name) =>
        own[name] >= changed[name].low && own[name] <= changed[name].high
          ? []
          : [`${turnId} ${callId} ${name}: ${own[name]} not in ${changed[name].low} to ${changed[name].high}`],
      );
    }),
  );
}
