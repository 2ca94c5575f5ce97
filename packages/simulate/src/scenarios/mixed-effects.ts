/** Reads and bookings at a service whose answers get lost: a read may be repeated, a booking must not be made twice. */
import type { World } from '../world/world.ts';
import { aboutTwoMinutes, DURATION_MS, searchService } from './base.ts';

export const mixedEffects: World = {
  name: 'mixed_effects',
  description: 'Reads and unsafe bookings; for about 120 s a tenth of the answers is lost after the work was done',
  durationMs: DURATION_MS,
  agents: [
    { count: 140, arrivals: { kind: 'open', ratePerSecond: 70 }, turn: [{ toolName: 'look_up' }], deadlineMs: 60_000 },
    { count: 60, arrivals: { kind: 'open', ratePerSecond: 20 }, turn: [{ toolName: 'book' }], deadlineMs: 60_000 },
  ],
  services: { booking: searchService },
  tools: { look_up: { service: 'booking', effect: 'read' }, book: { service: 'booking', effect: 'unsafe' } },
  faults: [{ service: 'booking', ...aboutTwoMinutes, kind: 'lost_answers', share: 0.1 }],
};
