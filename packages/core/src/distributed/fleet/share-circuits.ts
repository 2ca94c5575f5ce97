/** Owns the service option `sharedCircuits`: what a service exchanges with a keeper, and how long it waits for it. */
import { createSharing, type CircuitSharing } from '../../engine/ports/circuit-sharing.ts';
import { checkFields, type Fields } from '../../engine/settings/check.ts';
import { CircuitExchange } from './circuit-exchange.ts';
import type { SharedCircuits } from './shared-circuits.ts';
import { withoutUndefined } from '../../engine/plain/without-undefined.ts';

/** Options of `shareCircuits`. */
export interface CircuitSharingOptions {
  /** This service's name in the fleet; no other may have it. @default random, once per service */
  readonly worker?: string | undefined;
  /** Between two reports of what is going on. What changes a circuit is told at once. @default 1000 */
  readonly reportEveryMs?: number | undefined;
  /** A call at a half-open circuit waits so long for the fleet's word; then the local circuit decides. @default 50 */
  readonly probeTimeoutMs?: number | undefined;
  /** A report, or the end of a probe, that is not answered by then has failed. No call waits for it. @default 1000 */
  readonly reportTimeoutMs?: number | undefined;
  /** A keeper that is down is asked again after pauses that grow up to this. @default 30000 */
  readonly longestPauseMs?: number | undefined;
}

const milliseconds = ['a number of milliseconds above 0', Number.MIN_VALUE, Number.MAX_SAFE_INTEGER] as const;

const fields: Fields = {
  worker: 'string',
  reportEveryMs: milliseconds,
  probeTimeoutMs: milliseconds,
  reportTimeoutMs: milliseconds,
  longestPauseMs: milliseconds,
};

/**
 * Shares a service's circuits with every process that has the same keeper: `new ToolExecutionService({ …, sharedCircuits: shareCircuits(keeper) })`.
 * The keeper is not closed with the service.
 * @throws TypeError or RangeError when an option is not usable.
 */
export function shareCircuits(circuits: SharedCircuits, options: CircuitSharingOptions = {}): CircuitSharing {
  if (typeof circuits?.acquireProbe !== 'function')
    throw new TypeError('shareCircuits: the first argument must be a keeper, such as memorySharedCircuits() makes.');
  checkFields(fields, options, 'shareCircuits');
  return createSharing(
    (place) =>
      new CircuitExchange(circuits, place, {
        worker: place.system.randomSeed(),
        reportEveryMs: 1_000,
        probeTimeoutMs: 50,
        reportTimeoutMs: 1_000,
        longestPauseMs: 30_000,
        ...withoutUndefined(options as Partial<Record<string, never>>),
      }),
  );
}
