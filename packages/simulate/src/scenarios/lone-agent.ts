/** One agent with a call about every ten seconds: it learns nothing from other callers, and every probe is one of its own calls. */
import type { World } from '../world/world.ts';
import { searchWorld } from './base.ts';

export const loneAgent: World = searchWorld(
  'lone_agent',
  'One agent, one call in 10 s; outage of about 60 s every five minutes',
  // An hour, since so few calls are a small sample; twelve outages, since one would hit only six of the calls.
  Array.from({ length: 12 }, (_, nth) => ({
    service: 'search',
    fromMs: [nth * 300_000 + 100_000, nth * 300_000 + 120_000] as const,
    forMs: [54_000, 66_000] as const,
    kind: 'outage' as const,
  })),
  {
    durationMs: 3_600_000,
    agents: [{ count: 1, arrivals: { kind: 'open', ratePerSecond: 0.1 }, turn: [{ toolName: 'search' }], deadlineMs: 60_000 }],
  },
);
