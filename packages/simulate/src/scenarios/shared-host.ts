/** Three tools on one host fail together; a fourth elsewhere is an alternative to one of them. */
import type { World } from '../world/world.ts';
import { aboutAMinute, DURATION_MS } from './base.ts';

const service = { servers: 12, queue: 1_000, latency: { kind: 'lognormal', meanMs: 200, p99Ms: 550 } } as const;

export const sharedHost: World = {
  name: 'shared_host',
  description: 'Host of three tools down for about 60 s; one of them has an alternative elsewhere',
  durationMs: DURATION_MS,
  agents: (['flights', 'hotels', 'weather'] as const).map((toolName) => ({
    count: 70,
    // 12 servers with 200 ms each serve 60 per second.
    arrivals: { kind: 'open', ratePerSecond: 30 },
    turn: [{ toolName }],
    deadlineMs: 60_000,
  })),
  services: {
    flights: { ...service, host: 'travel.example' },
    hotels: { ...service, host: 'travel.example' },
    weather: { ...service, host: 'travel.example' },
    // Slower and smaller: good enough while the other one is down.
    other_weather: { ...service, latency: { kind: 'lognormal', meanMs: 300, p99Ms: 900 }, host: 'weather.example' },
  },
  tools: {
    flights: { service: 'flights' },
    hotels: { service: 'hotels' },
    weather: { service: 'weather', alternatives: ['other_weather'] },
    other_weather: { service: 'other_weather' },
  },
  faults: [{ host: 'travel.example', ...aboutAMinute, kind: 'outage' }],
};
