/** The service has less capacity than demand: its queue grows until every answer comes too late. */
import type { World } from '../world/world.ts';
import { aboutTwoMinutes, searchWorld } from './base.ts';

export const brownout: World = searchWorld(
  'brownout',
  'Capacity at 40 % for about 120 s: 60 per second of 100',
  [{ service: 'search', ...aboutTwoMinutes, kind: 'brownout', capacity: 0.4 }],
  // Calibrated to the measurements: without any policy, 55 % of the calls succeed.
  { durationMs: 300_000 },
);
