/** The service lets short bursts pass and limits the average. Demand is within the limit, or slightly above it. */
import type { World } from '../world/world.ts';
import { always, searchWorld } from './base.ts';

export const tokenBucket: World = searchWorld(
  'token_bucket',
  'Token bucket of 120 per second with bursts of 20, demand of 100 per second',
  [{ service: 'search', ...always, kind: 'token_bucket', ratePerSecond: 120, burst: 20 }],
);

export const tightBucket: World = searchWorld('tight_bucket', 'Token bucket of 90 per second with bursts of 90, demand of 100 per second', [
  { service: 'search', ...always, kind: 'token_bucket', ratePerSecond: 90, burst: 90 },
]);
