/** The check of a gate's settings. */
import { requireCount, requireDuration, requireObject, requireAmount } from '../breaker/check.ts';
import { completeBreakerSettings } from '../breaker/settings.ts';
import { largestRateLimit } from './rate-limiter.ts';
import type { GateSettings } from './types.ts';

/** @throws TypeError or RangeError naming the field, its value and the mend. */
export function checkGateSettings(settings: GateSettings): void {
  requireObject('gate settings', settings);
  const { breaker, concurrency, rateLimit, retryBudget } = settings;
  if (breaker !== false) completeBreakerSettings(breaker);
  if (concurrency !== undefined && concurrency !== false) {
    requireObject('concurrency', concurrency);
    requireCount('concurrency.limit', concurrency.limit);
    if (concurrency.queue !== Number.POSITIVE_INFINITY) requireCount('concurrency.queue', concurrency.queue, 0);
  }
  if (rateLimit !== undefined && rateLimit !== false) {
    requireObject('rateLimit', rateLimit);
    requireCount('rateLimit.limit', rateLimit.limit, 1, largestRateLimit);
    requireDuration('rateLimit.windowMs', rateLimit.windowMs);
  }
  if (retryBudget !== undefined && retryBudget !== false) {
    requireObject('retryBudget', retryBudget);
    requireAmount('retryBudget.ratio', retryBudget.ratio);
    requireAmount('retryBudget.floor', retryBudget.floor);
    requireDuration('retryBudget.windowMs', retryBudget.windowMs);
  }
}
