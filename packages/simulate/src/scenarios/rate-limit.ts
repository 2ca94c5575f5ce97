/** The service refuses requests above its limit, with Retry-After. The average demand is within the limit, bursts are not. */
import type { World } from '../world/world.ts';
import { always, searchers, searchWorld } from './base.ts';

export const rateLimit: World = searchWorld(
  'rate_limit',
  'Rate limit of 800 per 10 s (429 with Retry-After), bursty demand of 72 per second on average',
  [{ service: 'search', ...always, kind: 'rate_limit', limit: 800, windowMs: 10_000 }],
  {
    agents: [
      {
        ...searchers,
        arrivals: {
          kind: 'open',
          ratePerSecond: 72,
          // 900 calls in a burst, on average one every 16 s: more than one window allows, less than all windows. Three quarters of the calls fit at once.
          burst: {
            every: { kind: 'uniform', minMs: 12_000, maxMs: 20_000 },
            lasts: { kind: 'uniform', minMs: 500, maxMs: 3_500 },
            ratePerSecond: 450,
          },
        },
      },
    ],
  },
);
