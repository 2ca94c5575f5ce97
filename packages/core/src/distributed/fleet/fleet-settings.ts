/** Owns the settings by which a fleet's circuits are kept, and the reasons for their defaults. */
import { checkFields, type Fields } from '../../engine/settings/check.ts';
import { withoutUndefined } from '../../engine/plain/without-undefined.ts';

/** When a keeper opens and probes the circuits of a fleet, and how long the report of a worker counts. */
export interface FleetCircuitSettings {
  /**
   * The circuit opens when more than this share of the workers that have a say see theirs open. A worker has a say while it had traffic on the tool within
   * `voteLifetimeMs`; one that is alone (`aloneMs`) is its own quorum. More than half: a single worker with a broken way out cannot stop the others, and an outage of
   * the tool, which everybody sees, opens it as soon as most have seen it. @default 0.5
   */
  readonly quorum: number;
  /**
   * A worker that nobody else is heard of beside is a quorum only when it has seen its circuit open for so long: when a fleet starts, or wakes, the others may not
   * have reported yet. Two of their reports. Meanwhile its own circuit is open, so nothing is lost. @default 2000
   */
  readonly aloneMs: number;
  /**
   * For so long a worker's word counts after its last report. As long as a circuit is usually open: shorter, and a tool that is called now and then would be
   * judged by whatever happened to call last; longer, and workers that were stopped would continue outvoting the living. @default 30000
   */
  readonly voteLifetimeMs: number;
  /** The open period where a report names none: that of a circuit (docs/specification.md#s1-3-2). @default 30000 */
  readonly openMs: number;
  /** A `Retry-After` shorter than this stays with the worker that heard it: the others would hear of it when it is over. @default 1000 */
  readonly leastRetryAfterMs: number;
  /** No lease is longer: a tool without a time limit must not keep the fleet's only probe for ever when its worker dies. @default 3600000 */
  readonly longestLeaseMs: number;
}

/** The settings of a keeper that is given none. */
export const fleetCircuitDefaults: FleetCircuitSettings = {
  quorum: 0.5,
  aloneMs: 2_000,
  voteLifetimeMs: 30_000,
  openMs: 30_000,
  leastRetryAfterMs: 1_000,
  longestLeaseMs: 3_600_000,
};

const milliseconds = ['a number of milliseconds above 0', Number.MIN_VALUE, Number.MAX_SAFE_INTEGER] as const;

const fields: Fields = {
  quorum: ['a share from 0 to below 1', 0, 0.999_999],
  aloneMs: ['a number of milliseconds, 0 or more', 0, Number.MAX_SAFE_INTEGER],
  voteLifetimeMs: milliseconds,
  openMs: milliseconds,
  leastRetryAfterMs: ['a number of milliseconds, 0 or more', 0, Number.MAX_SAFE_INTEGER],
  longestLeaseMs: milliseconds,
};

/**
 * Fills in the defaults.
 * @throws TypeError or RangeError naming the field, its value and the fix.
 */
export function completeFleetSettings(given: Partial<FleetCircuitSettings> = {}): FleetCircuitSettings {
  checkFields(fields, given, 'shared circuits');
  return { ...fleetCircuitDefaults, ...withoutUndefined(given) };
}
