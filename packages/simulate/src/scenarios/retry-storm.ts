/** The service has little spare capacity, so that retries alone keep it overloaded after it has come back. */
import type { World } from '../world/world.ts';
import { searchers, searchWorld } from './base.ts';

export const retryStorm: World = searchWorld(
  'retry_storm',
  'Silence of about 20 s at 87 % load: what comes back must not come at once',
  [{ service: 'search', fromMs: [100_000, 120_000], forMs: [18_000, 22_000], kind: 'black_hole' }],
  // 130 of 150 per second: every request that is sent twice is one too many.
  { agents: [{ ...searchers, arrivals: { kind: 'open', ratePerSecond: 130 } }] },
);
