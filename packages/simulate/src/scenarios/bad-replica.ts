/** One of three replicas is broken: a request that fails would succeed at the next attempt, and two thirds of the service still work. */
import type { World } from '../world/world.ts';
import { aboutTwoMinutes, searchService, searchWorld } from './base.ts';

// Ten servers each: in total as many as in the other scenarios.
const replicated = { ...searchService, servers: 10, replicas: 3, queue: 700 };

export const badReplica: World = searchWorld(
  'bad_replica',
  'One of three replicas answers 503 for about 120 s',
  [{ service: 'search', ...aboutTwoMinutes, kind: 'bad_replica', replica: 1, how: 'errors' }],
  // The two remaining replicas serve 100 per second, so the demand is 80.
  {
    services: { search: replicated },
    agents: [{ count: 200, arrivals: { kind: 'open', ratePerSecond: 80 }, turn: [{ toolName: 'search' }], deadlineMs: 60_000 }],
  },
);
