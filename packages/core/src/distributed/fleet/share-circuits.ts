/** Owns the service option `sharedCircuits`: the exchange of a service with a coordinator, and its time limits. */
import { createSharing, type CircuitSharing } from '../../engine/ports/circuit-sharing.ts';
import { checkOptions } from '../../engine/settings/check-options.ts';
import type { Fields } from '../../engine/settings/check.ts';
import { CircuitExchange } from './circuit-exchange.ts';
import type { SharedCircuits } from './shared-circuits.ts';
import { withoutUndefined } from '../../engine/plain/without-undefined.ts';

/** Options of `shareCircuits`. */
export interface CircuitSharingOptions {
  /** Unique name of this service in the fleet. @default random, once per service */
  readonly worker?: string | undefined;
  /** Time between two reports. Changes of a circuit are reported at once. @default 1000 */
  readonly reportEveryMs?: number | undefined;
  /**
   * How long a call at a half-open circuit waits for the coordinator; after that the local circuit decides, so that there may be a second probe. Longer than the
   * slowest answer of a coordinator that works: only the first call that finds it hanging waits that long. @default 1000
   */
  readonly probeTimeoutMs?: number | undefined;
  /** Time limit for a report or the end of a probe, after which the coordinator counts as down. No call waits for it. @default 5000 */
  readonly reportTimeoutMs?: number | undefined;
  /** Longest pause between retries while the coordinator is down. @default 30000 */
  readonly maxPauseMs?: number | undefined;
}

const milliseconds = ['a number of milliseconds above 0', Number.MIN_VALUE, Number.MAX_SAFE_INTEGER] as const;

const fields: Fields = {
  worker: 'string',
  reportEveryMs: milliseconds,
  probeTimeoutMs: milliseconds,
  reportTimeoutMs: milliseconds,
  maxPauseMs: milliseconds,
};

/**
 * Shares a service's circuits with every process that uses the same coordinator: `new ToolExecutionService({ …, sharedCircuits: shareCircuits(coordinator) })`.
 * Closing the service does not close the coordinator.
 * @throws TypeError or RangeError for an invalid option
 */
export function shareCircuits(circuits: SharedCircuits, options: CircuitSharingOptions = {}): CircuitSharing {
  if (typeof circuits?.acquireProbe !== 'function')
    throw new TypeError('shareCircuits: the first argument must be a coordinator, such as the result of memorySharedCircuits().');
  checkOptions(fields, options, 'shareCircuits');
  return createSharing(
    (place) =>
      new CircuitExchange(circuits, place, {
        worker: place.system.randomSeed(),
        reportEveryMs: 1_000,
        probeTimeoutMs: 1_000,
        reportTimeoutMs: 5_000,
        maxPauseMs: 30_000,
        ...withoutUndefined(options as Partial<Record<string, never>>),
      }),
  );
}
