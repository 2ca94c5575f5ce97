/** The breaker's defaults and the check of its settings. */
import { checkFields, withoutUndefined } from '../settings/check.ts';
import { breakerFields, checkRate } from '../settings/fields.ts';
import type { BreakerSettings, RateSettings } from './types.ts';
import { longestMs } from './wait.ts';

/** Opens after 5 failures in a row, for 30 s, and closes after one successful probe (S0 3.2, S1 3.1 to 3.3). */
export const breakerDefaults: BreakerSettings = {
  failureThreshold: 5,
  successThreshold: 1,
  openMs: 30_000,
  probeLeaseMs: 60_000,
  permanentProbeLimit: 3,
};

/**
 * Fills in the defaults and checks every field.
 * @throws TypeError or RangeError naming the field, its value and the mend.
 */
export function completeBreakerSettings(given: Partial<BreakerSettings>): BreakerSettings {
  checkFields(breakerFields, given, 'breaker');
  const settings = { ...breakerDefaults, ...withoutUndefined(given) };
  const { openMs, probeLeaseMs, rate } = settings;
  const finite = { ...settings, openMs: Math.min(openMs, longestMs), probeLeaseMs: Math.min(probeLeaseMs, longestMs) };
  return rate === undefined ? finite : { ...finite, rate: completeRate(rate) };
}

function completeRate(rate: RateSettings): RateSettings {
  checkRate(rate, 'breaker.rate');
  const windowMs = Math.min(rate.windowMs, longestMs);
  return rate.slowCallMs === undefined ? { ...rate, windowMs } : { ...rate, windowMs, slowCallRate: rate.slowCallRate ?? 1 };
}
