/** More demand than capacity, for a moment or all the time: what is added keeps the service overloaded after its cause is gone. */
import type { AgentGroup, World } from '../world/world.ts';
import { aboutTwoMinutes, searchers, searchService, searchWorld } from './base.ts';

const at = (ratePerSecond: number): AgentGroup => ({ ...searchers, arrivals: { kind: 'open', ratePerSecond } });

export const collapse: World = searchWorld(
  'collapse',
  'Capacity at 10 % for about 15 s, at 92 % load',
  [{ service: 'search', fromMs: [100_000, 120_000], forMs: [13_000, 17_000], kind: 'brownout', capacity: 0.1 }],
  // 138 of 150 per second.
  { agents: [at(138)] },
);

export const overload: World = searchWorld('overload', 'Demand at 110 % of the capacity', [], { agents: [at(165)] });

export const lostReplica: World = searchWorld(
  'lost_replica',
  'One of three replicas is gone for about 120 s; the others are at 115 % of their capacity',
  [{ service: 'search', ...aboutTwoMinutes, kind: 'bad_replica', replica: 0, how: 'gone' }],
  // Two replicas of ten servers serve 100 per second.
  { services: { search: { ...searchService, servers: 10, replicas: 3, queue: 700 } }, agents: [at(115)] },
);
