import { describe, expect, it } from 'vitest';
import type { World } from '../../src/index.ts';
import { holdfast, scenarios, simulate } from '../../src/index.ts';

/** Nothing is wrong but that the service has hardly any room to spare: 142 of 150 per second. */
const busy: World = {
  ...scenarios.nominal,
  durationMs: 40_000,
  agents: [{ count: 200, arrivals: { kind: 'open', ratePerSecond: 142 }, turn: [{ toolName: 'search' }], deadlineMs: 60_000 }],
};

describe('second attempts of slow calls', () => {
  it('are for one call in twenty at most, so that they do not slow a busy service down', () => {
    // Without a adaptive limit nothing else keeps them away.
    const metrics = simulate(busy, holdfast({ profile: 'adaptive', policy: { concurrency: false } }), '1');
    expect(metrics.requestsPerCall).toBeLessThan(1.055);
    expect(metrics.requestsPerCall).toBeGreaterThan(1.02);
    expect(metrics.success).toBe(1);
    expect(metrics.p99Ms).toBeLessThan(3_000);
  });
});
