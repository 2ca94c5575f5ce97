/** A small lab world, and the traces that Holdfast records in it. */
import type { TraceEvent } from '@holdfast/core';
import { type WorldFault, holdfast, type HoldfastOptions, type RunMetrics, simulate, type World } from '../../src/index.ts';

export function smallWorld(faults: readonly WorldFault[], changes: Partial<World> = {}): World {
  return {
    name: 'small',
    durationMs: 45_000,
    agents: [{ count: 10, arrivals: { kind: 'open', ratePerSecond: 3 }, turn: [{ toolName: 'search' }], deadlineMs: 30_000 }],
    services: { search: { servers: 20, latency: { kind: 'lognormal', meanMs: 200, p99Ms: 550 } } },
    tools: { search: { service: 'search', effect: 'read', timeoutMs: 2_000 } },
    faults,
    ...changes,
  };
}

export interface LabHistory {
  readonly traces: readonly (readonly TraceEvent[])[];
  readonly metrics: RunMetrics;
}

export function history(world: World, options: HoldfastOptions, seed: string): LabHistory {
  const turns = new Map<string, TraceEvent[]>();
  const onEvent = (event: TraceEvent): void => {
    const known = turns.get(event.turn_id);
    if (known) known.push(event);
    else turns.set(event.turn_id, [event]);
  };
  const metrics = simulate(world, holdfast({ ...options, onEvent }), seed);
  return { traces: [...turns.values()], metrics };
}
