/** The breaker's defaults and the check of its settings. */
import { requireCount, requireDuration, requireObject, requireShare } from './check.ts';
import type { BreakerSettings, RateSettings } from './types.ts';

/** Opens after 5 failures in a row, for 30 s, and closes after one successful probe (S0 3.2, S1 3.1 to 3.3). */
const breakerDefaults: BreakerSettings = Object.freeze({
  failureThreshold: 5,
  successThreshold: 1,
  openMs: 30_000,
  probeLeaseMs: 60_000,
  permanentProbeLimit: 3,
});

/**
 * Fills in the defaults and checks every field.
 * @throws TypeError or RangeError naming the field, its value and the mend.
 */
export function completeBreakerSettings(given: Partial<BreakerSettings>): BreakerSettings {
  requireObject('breaker', given);
  const settings: BreakerSettings = { ...breakerDefaults, ...given };
  requireCount('breaker.failureThreshold', settings.failureThreshold);
  requireCount('breaker.successThreshold', settings.successThreshold);
  requireCount('breaker.permanentProbeLimit', settings.permanentProbeLimit);
  const openMs = requireDuration('breaker.openMs', settings.openMs);
  const probeLeaseMs = requireDuration('breaker.probeLeaseMs', settings.probeLeaseMs);
  if (settings.rate === undefined) return { ...settings, openMs, probeLeaseMs };
  return { ...settings, openMs, probeLeaseMs, rate: completeRate(settings.rate) };
}

function completeRate(rate: RateSettings): RateSettings {
  requireObject('breaker.rate', rate);
  const windowMs = requireDuration('breaker.rate.windowMs', rate.windowMs);
  requireCount('breaker.rate.minimumCalls', rate.minimumCalls);
  requireShare('breaker.rate.failureRate', rate.failureRate);
  if (rate.slowCallMs === undefined && rate.slowCallRate === undefined) return { ...rate, windowMs };
  const slowCallRate = rate.slowCallRate ?? 1;
  requireDuration('breaker.rate.slowCallMs', rate.slowCallMs);
  requireShare('breaker.rate.slowCallRate', slowCallRate);
  return { ...rate, windowMs, slowCallRate };
}
