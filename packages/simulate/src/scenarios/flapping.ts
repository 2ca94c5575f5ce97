/** The service goes down and comes back repeatedly: a policy that waits long after each failure misses the times in which it works. */
import type { World } from '../world/world.ts';
import { aboutTwoMinutes, searchWorld } from './base.ts';

export const flapping: World = searchWorld(
  'flapping',
  'For about 120 s down 5 to 15 s, up 5 to 15 s by turns, 503 in 20 ms',
  [{ service: 'search', ...aboutTwoMinutes, kind: 'flapping', downMs: [5_000, 15_000], upMs: [5_000, 15_000] }],
  // Calibrated to the measurements: without any policy, 77 % of the calls succeed.
  { durationMs: 280_000 },
);
