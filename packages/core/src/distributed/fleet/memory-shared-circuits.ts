/** Owns the keeper in memory: for tests, and for several services in one process. */
import type { FleetCircuitSettings } from './fleet-settings.ts';
import { completeFleetSettings } from './fleet-settings.ts';
import type { FleetCircuitState } from './fleet-state.ts';
import type { SharedCircuits } from './shared-circuits.ts';
import type { FleetCircuitMessage, FleetCircuitStep } from './step-fleet-circuit.ts';
import { stepFleetCircuit } from './step-fleet-circuit.ts';

/** Options of `memorySharedCircuits`: a clock, and settings over the defaults. */
export interface MemorySharedCircuitsOptions extends Partial<FleetCircuitSettings> {
  /** The keeper's clock, milliseconds since 1970: `() => system.epochMs()`, or `Date.now`. */
  readonly epochMs: () => number;
}

/**
 * Creates a keeper that holds the circuits in memory, for tests and for several services in one process.
 * @throws TypeError or RangeError when a setting is not usable.
 */
export function memorySharedCircuits({ epochMs, ...given }: MemorySharedCircuitsOptions): SharedCircuits {
  const settings = completeFleetSettings(given);
  const states = new Map<string, FleetCircuitState>();
  const step = (message: FleetCircuitMessage): FleetCircuitStep => {
    const stepped = stepFleetCircuit(states.get(message.tool), message, epochMs(), settings);
    states.set(message.tool, stepped.state);
    return stepped;
  };
  return {
    report: async (reports) => reports.map((report) => step({ type: 'report', ...report }).circuit),
    async acquireProbe(request) {
      const { probe, circuit } = step({ type: 'acquire_probe', ...request });
      return probe ?? { kind: 'closed', circuit };
    },
    probeEnded: async (end) => step({ type: 'probe_ended', ...end }).circuit,
    reset: async (request) => step({ type: 'reset', ...request }).circuit,
  };
}
