/** The service does less than is asked of it: a queue grows until what it answers comes too late for everybody. */
import type { World } from '../world/world.ts';
import { aboutTwoMinutes, searchWorld } from './base.ts';

export const brownout: World = searchWorld(
  'brownout',
  'Capacity at 40 % for about 120 s: 60 per second of 100',
  [{ service: 'search', ...aboutTwoMinutes, kind: 'brownout', capacity: 0.4 }],
  // So that the fault weighs as much as in the measurements it is calibrated by: 55 % of the calls succeed without any policy.
  { durationMs: 300_000 },
);
