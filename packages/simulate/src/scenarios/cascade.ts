/** Turns of several dependent calls: a service in the middle fails everything after it. */
import type { World } from '../world/world.ts';
import { aboutAMinute, DURATION_MS } from './base.ts';

const service = { servers: 15, queue: 1_000, latency: { kind: 'lognormal', meanMs: 200, p99Ms: 550 } } as const;

export const cascade: World = {
  name: 'cascade',
  description: 'Turns of five calls in three steps; the service of the second step is down for about 60 s',
  durationMs: DURATION_MS,
  agents: [
    {
      count: 200,
      // 15 servers with 200 ms each serve 75 per second; 40 turns need 40.
      arrivals: { kind: 'open', ratePerSecond: 40 },
      turn: [
        { toolName: 'locate' },
        { toolName: 'flights', dependsOn: ['locate'] },
        { toolName: 'hotels', dependsOn: ['locate'] },
        // Optional.
        { toolName: 'weather', dependsOn: ['locate'], optional: true },
        { toolName: 'itinerary', dependsOn: ['flights', 'hotels'] },
      ],
      deadlineMs: 60_000,
    },
  ],
  services: { maps: service, flights: service, hotels: service, weather: service, writer: service },
  tools: {
    locate: { service: 'maps' },
    flights: { service: 'flights' },
    hotels: { service: 'hotels' },
    weather: { service: 'weather' },
    itinerary: { service: 'writer' },
  },
  faults: [{ service: 'hotels', ...aboutAMinute, kind: 'outage' }],
};
