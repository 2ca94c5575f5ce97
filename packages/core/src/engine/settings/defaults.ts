/** Owns default numbers that several places share. Does not own the profiles (`profiles.ts`). */
import { breakerDefaults } from '../breaker/settings.ts';
import type { CircuitBreakerSettings, HedgeSettings, RetryBudgetSettings, RetrySettings, WaitForRecoverySettings } from './settings.ts';

/** Five attempts, 100 to 800 ms apart, within 2 s of the first failure (docs/specification.md#s0-2-1, #s1-2-1 to #s1-2-4). */
export const retryDefaults: RetrySettings = {
  strategy: 'exponential_backoff',
  initialDelayMs: 100,
  maxDelayMs: 800,
  multiplier: 2,
  stepMs: 100,
  jitter: 'proportional',
  jitterPercent: 10,
  maxAttempts: 5,
  maxTotalTimeMs: 2_000,
};

export const circuitBreakerDefaults: CircuitBreakerSettings = { count: 'attempt', ...breakerDefaults };

/** For a budget that is switched on without numbers. */
export const retryBudgetDefaults: RetryBudgetSettings = { ratio: 0.2, floor: 10, windowMs: 10_000 };

export const hedgeDefaults: HedgeSettings = { afterMs: 'p95', maxHedges: 1 };

export const waitForRecoveryDefaults: WaitForRecoverySettings = { maxWaitMs: 300_000 };
