/** The breaker's defaults and the check of its settings. */
import { checkFields } from '../settings/check.ts';
import { breakerFields, checkRate } from '../settings/fields.ts';
import type { BreakerSettings, RateSettings } from './types.ts';
import { maxMs } from './wait.ts';
import { withoutUndefined } from '../plain/without-undefined.ts';

/** Opens after 5 failures in a row, for 30 s, and closes after one successful probe (docs/specification.md#s0-3-2, #s1-3-1 to #s1-3-3). */
export const breakerDefaults: BreakerSettings = {
  failureThreshold: 5,
  successThreshold: 1,
  openMs: 30_000,
  probeLeaseMs: 60_000,
  permanentProbeLimit: 3,
};

/**
 * Fills in the defaults and checks every field.
 * @throws TypeError or RangeError that names the field, its value and the fix.
 */
export function completeBreakerSettings(given: Partial<BreakerSettings>): BreakerSettings {
  checkFields(breakerFields, given, 'breaker');
  const complete = withDefaults(given);
  return complete.rate ? { ...complete, rate: completeRate(complete.rate) } : complete;
}

/** Fills in the defaults of settings that have been checked. */
export function withDefaults(given: Partial<BreakerSettings>): BreakerSettings {
  const settings = { ...breakerDefaults, ...withoutUndefined(given) };
  return { ...settings, openMs: finiteMs(settings.openMs), probeLeaseMs: finiteMs(settings.probeLeaseMs) };
}

/** @throws TypeError or RangeError that names the field, its value and the fix. */
export function completeRate(rate: RateSettings): RateSettings {
  checkRate(rate, 'breaker.rate');
  const windowMs = finiteMs(rate.windowMs);
  return rate.slowCallMs === undefined ? { ...rate, windowMs } : { slowCallRate: 1, ...(withoutUndefined(rate) as RateSettings), windowMs };
}

function finiteMs(duration: number): number {
  return Math.min(duration, maxMs);
}
