/** Owns handing the second detector to a circuit breaker. On its own, so that who needs none of it ships none of it. */
import { detectRate, windowFor } from '../engine/breaker/rate-detector.ts';
import { completeRate } from '../engine/breaker/settings.ts';
import type { RateSettings } from '../engine/breaker/types.ts';
import type { RateDetector, WorkingDetector } from './circuit-breaker.ts';

/**
 * Opens a circuit breaker on a share of failed or slow calls over a time window, where failures never come in a row. One detector serves any number of
 * breakers; each counts for itself.
 * @throws TypeError | RangeError when a setting is not usable.
 */
export function rateDetector(settings: RateSettings): RateDetector {
  const rate = completeRate(settings);
  const detector: WorkingDetector = { rate, detect: detectRate, start: () => windowFor(rate) };
  return detector;
}
