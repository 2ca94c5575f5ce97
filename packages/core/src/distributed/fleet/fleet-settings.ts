/** Owns the settings of a fleet's circuits and the reasons for their defaults. */
import { checkOptions } from '../../engine/settings/check-options.ts';
import type { Fields } from '../../engine/settings/check.ts';
import { withoutUndefined } from '../../engine/plain/without-undefined.ts';

/** When a coordinator opens and probes the circuits of a fleet, and how long the report of a worker counts. */
export interface FleetCircuitSettings {
  /**
   * The circuit opens when more than this share of the voting workers have an open circuit. A worker votes while it had traffic on the tool within `voteLifetimeMs`; a
   * single worker (`aloneMs`) is a quorum. More than half: one worker with a broken network connection cannot stop the others, and an outage of the tool, which all
   * workers see, opens the circuit as soon as most have seen it. @default 0.5
   */
  readonly quorum: number;
  /**
   * A worker without other reporting workers is a quorum only after its circuit has been open for this long: when a fleet starts or resumes, the others may not have
   * reported yet. The time of two reports. Meanwhile its own circuit is open, so no calls are wasted. @default 2000
   */
  readonly aloneMs: number;
  /**
   * How long the vote of a worker counts after its last report. As long as the usual open period: if shorter, a rarely called tool would be judged by its last caller
   * only; if longer, stopped workers would outvote the running ones. @default 30000
   */
  readonly voteLifetimeMs: number;
  /** The open period when a report has none: that of a circuit (docs/specification.md#s1-3-2). @default 30000 */
  readonly openMs: number;
  /** A shorter `Retry-After` applies only to the worker that received it, since it would be over before the others know it. @default 1000 */
  readonly minRetryAfterMs: number;
  /** Maximum lease of a probe: a tool without a time limit must not block the fleet's only probe forever when its worker stops. @default 3600000 */
  readonly maxLeaseMs: number;
}

/** The default settings of a coordinator. */
export const fleetCircuitDefaults: FleetCircuitSettings = {
  quorum: 0.5,
  aloneMs: 2_000,
  voteLifetimeMs: 30_000,
  openMs: 30_000,
  minRetryAfterMs: 1_000,
  maxLeaseMs: 3_600_000,
};

const milliseconds = ['a number of milliseconds above 0', Number.MIN_VALUE, Number.MAX_SAFE_INTEGER] as const;

/** The fields of the settings, for the coordinators that take them among others. */
export const fleetFields: Fields = {
  quorum: ['a share from 0 to below 1', 0, 0.999_999],
  aloneMs: ['a number of milliseconds, 0 or more', 0, Number.MAX_SAFE_INTEGER],
  voteLifetimeMs: milliseconds,
  openMs: milliseconds,
  minRetryAfterMs: ['a number of milliseconds, 0 or more', 0, Number.MAX_SAFE_INTEGER],
  maxLeaseMs: milliseconds,
};

/**
 * Returns the settings with defaults for missing fields.
 * @param where in front of every field in errors. @default 'shared circuits'
 * @throws TypeError or RangeError that names the field, its value and the fix
 */
export function completeFleetSettings(partial: Partial<FleetCircuitSettings> = {}, where = 'shared circuits'): FleetCircuitSettings {
  checkOptions(fleetFields, partial, where);
  return { ...fleetCircuitDefaults, ...withoutUndefined(partial) };
}
