/** Owns `rateDetector`, the second detector of a circuit breaker. It is a separate function, so that bundlers can remove it if it is unused. */
import { useRate } from '../engine/breaker/rate-detector.ts';
import { completeRate } from '../engine/breaker/settings.ts';
import type { RateSettings } from '../engine/breaker/types.ts';
import type { RateDetector, DetectorInternals } from './circuit-breaker.ts';

/**
 * Creates a detector that opens a circuit breaker on a share of failed or slow calls in a time window, for failures that are not consecutive. Several breakers can
 * use one detector; each counts separately.
 * @throws TypeError or RangeError for an invalid setting
 */
export function rateDetector(settings: RateSettings): RateDetector {
  const rate = completeRate(settings);
  const detector: DetectorInternals = { rate, attach: (breaker) => useRate(breaker, rate) };
  return detector;
}
