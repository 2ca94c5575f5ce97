/** Services that are slow at times without being overloaded: nothing should wait for them to become fast. */
import type { World } from '../world/world.ts';
import { always, aboutTwoMinutes, searchService, searchWorld } from './base.ts';

/** With so many servers no latency here fills a queue. */
const ample = { search: { ...searchService, servers: 200 } };

export const heavyTail: World = searchWorld(
  'heavy_tail',
  '1 % of the requests takes 150 times as long: 30 s; no time limit',
  [{ service: 'search', ...always, kind: 'slow', factor: 150, share: 0.01 }],
  { services: ample, tools: { search: { service: 'search', timeoutMs: Infinity } } },
);

export const slowByTurns: World = searchWorld(
  'slow_by_turns',
  'Four times as slow for 15 s of every 30, with capacity to spare',
  [{ service: 'search', ...always, kind: 'slow', factor: 4, periodMs: 30_000 }],
  { services: ample },
);

export const growingLatency: World = searchWorld(
  'growing_latency',
  'Grows five times as slow over about 120 s, with capacity to spare',
  [{ service: 'search', ...aboutTwoMinutes, kind: 'slow', factor: 5, grows: true }],
  { services: ample },
);

export const slowTool: World = searchWorld(
  'slow_tool',
  'A tool that takes 30 s, in turns of 10 minutes, without a time limit; outage of about 120 s',
  [{ service: 'search', ...aboutTwoMinutes, kind: 'outage' }],
  {
    agents: [{ count: 200, arrivals: { kind: 'open', ratePerSecond: 10 }, turn: [{ toolName: 'search' }], deadlineMs: 600_000 }],
    // 450 servers of 30 s serve 15 per second.
    services: { search: { servers: 450, queue: 2_000, latency: { kind: 'lognormal', meanMs: 30_000, p99Ms: 90_000 } } },
    tools: { search: { service: 'search', timeoutMs: Infinity } },
  },
);
