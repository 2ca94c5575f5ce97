import { describe, expect, it } from 'vitest';
import type { World } from '../../src/index.ts';
import { holdfast, scenarios, simulate } from '../../src/index.ts';

/** The only problem is that the service has hardly any spare capacity: the demand is 142 of 150 per second. */
const busy: World = {
  ...scenarios.nominal,
  durationMs: 40_000,
  agents: [{ count: 200, arrivals: { kind: 'open', ratePerSecond: 142 }, turn: [{ toolName: 'search' }], deadlineMs: 60_000 }],
};

describe('second attempts of slow calls', () => {
  it('are limited to one call in twenty, so that they do not slow down a busy service', () => {
    // Without an adaptive limit nothing else prevents them.
    const metrics = simulate(busy, holdfast({ profile: 'adaptive', policy: { concurrency: false } }), '1');
    expect(metrics.requestsPerCall).toBeLessThan(1.055);
    expect(metrics.requestsPerCall).toBeGreaterThan(1.02);
    expect(metrics.success).toBe(1);
    expect(metrics.p99Ms).toBeLessThan(3_000);
  });
});
