/** One of ten replicas takes ten times as long, and nothing fails: only the slowest tenth of the calls is affected, and only a second attempt helps. */
import type { World } from '../world/world.ts';
import { aboutTwoMinutes, searchService, searchWorld } from './base.ts';

// Slow, not overloaded: a tenth of 100 per second, each for 2 s, keeps 20 of its servers busy.
const replicated = { ...searchService, servers: 25, replicas: 10, queue: 200 };

export const slowReplica: World = searchWorld(
  'slow_replica',
  'One of ten replicas takes ten times as long for about 120 s',
  [{ service: 'search', ...aboutTwoMinutes, kind: 'bad_replica', replica: 1, how: 'slow' }],
  { services: { search: replicated } },
);
