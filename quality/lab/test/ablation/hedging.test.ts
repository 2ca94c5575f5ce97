import { expect, it } from 'vitest';
import { holdfast, scenarios, simulate, type World } from '@holdfast/simulate';

/** Half a minute is enough: the tail is visible at once. */
const world: World = {
  ...scenarios.slow_replica,
  durationMs: 30_000,
  faults: [{ service: 'search', fromMs: 5_000, forMs: 40_000, kind: 'bad_replica', replica: 1, how: 'slow' }],
};

it('a second attempt saves calls of a slow replica most of their time, for a few more requests', () => {
  const [hedged, alone] = [{}, { hedge: false as const }].map((policy) => simulate(world, holdfast({ profile: 'adaptive', policy }), '1'));
  if (!hedged || !alone) throw new Error('a run is missing');
  expect(alone.p99Ms).toBeGreaterThan(2_000);
  expect(hedged.p99Ms).toBeLessThan((alone.p99Ms ?? 0) / 2);
  expect(alone.requestsPerCallDuring).toBeCloseTo(1, 1);
  expect(hedged.requestsPerCallDuring).toBeLessThan(1.25);
  expect([hedged.success, alone.success]).toEqual([1, 1]);
});
