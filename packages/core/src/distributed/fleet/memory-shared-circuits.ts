/** Owns the in-memory coordinator, for tests and for several services in one process. */
import { checkOptions } from '../../engine/settings/check-options.ts';
import type { FleetCircuitSettings } from './fleet-settings.ts';
import { completeFleetSettings, fleetFields } from './fleet-settings.ts';
import type { FleetCircuitState } from './fleet-state.ts';
import type { SharedCircuits } from './shared-circuits.ts';
import type { FleetCircuitMessage, FleetCircuitStep } from './step-fleet-circuit.ts';
import { stepFleetCircuit } from './step-fleet-circuit.ts';

/** Options of `memorySharedCircuits`: a clock, and settings that override the defaults. */
export interface MemorySharedCircuitsOptions extends Partial<FleetCircuitSettings> {
  /** The coordinator's clock, milliseconds since 1970: `() => system.epochMs()`, or `Date.now`. */
  readonly epochMs: () => number;
}

/**
 * Creates a coordinator that keeps the circuits in memory, for tests and for several services in one process.
 * @throws TypeError or RangeError for an invalid setting
 */
export function memorySharedCircuits(options: MemorySharedCircuitsOptions): SharedCircuits {
  checkOptions({ ...fleetFields, epochMs: 'function' }, options, 'memorySharedCircuits', ['epochMs']);
  const { epochMs, ...own } = options;
  const settings = completeFleetSettings(own);
  const states = new Map<string, FleetCircuitState>();
  const step = (message: FleetCircuitMessage): FleetCircuitStep => {
    const result = stepFleetCircuit(states.get(message.toolName), message, epochMs(), settings);
    states.set(message.toolName, result.state);
    return result;
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
