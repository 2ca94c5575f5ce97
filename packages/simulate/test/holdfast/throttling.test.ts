import { expect, it } from 'vitest';
import { holdfast, scenarios, simulate } from '../../src/index.ts';

it('a server that accepts half of the demand receives hardly more than it accepts', () => {
  const world = {
    ...scenarios.nominal,
    durationMs: 40_000,
    agents: [{ count: 100, arrivals: { kind: 'open', ratePerSecond: 40 }, turn: [{ toolName: 'search' }], deadlineMs: 30_000 }],
    faults: [{ service: 'search', fromMs: 5_000, forMs: 60_000, kind: 'rate_limit', limit: 20, windowMs: 1_000 }],
  } as const;
  const metrics = simulate(world, holdfast('adaptive'), '1');
  // Half of the calls can be accepted, each of them once.
  expect(metrics.requestsPerCallDuring).toBeLessThan(1.3);
  expect(metrics.during).toBeGreaterThan(0.55);
});
