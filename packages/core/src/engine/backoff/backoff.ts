/**
 * Owns the delay before an attempt: growth, cap, jitter, and what the server asked for. Does not own whether there is another attempt.
 *
 * Invariants
 * 1. `delay = min(grown, maxDelayMs)`, then jitter; so proportional jitter may exceed the cap (docs/specification.md#s1-2-1).
 * 2. The delay is never shorter than a server's `Retry-After`: jitter only adds to it.
 * 3. The result is finite and not negative, whatever the attempt number.
 */
import type { RetrySettings } from '../settings/settings.ts';

/** The delay before retry number `retry` (1 = before the second attempt), without jitter, in milliseconds. */
export function grownDelayMs(settings: RetrySettings, retry: number): number {
  const { strategy, initialDelayMs, stepMs, multiplier, maxDelayMs } = settings;
  const grown =
    strategy === 'constant_backoff'
      ? initialDelayMs
      : strategy === 'linear_backoff'
        ? initialDelayMs + stepMs * (retry - 1)
        : initialDelayMs * multiplier ** (retry - 1);
  // 0 × Infinity is NaN: a delay of 0 stays 0.
  return Number.isNaN(grown) ? 0 : Math.min(grown, maxDelayMs, Number.MAX_SAFE_INTEGER);
}

/** The inputs of a delay. `random` is in [0, 1). */
export interface BackoffRequest {
  /** Strategy, limits and jitter. */
  readonly settings: RetrySettings;
  /** Number of the retry: 1 before the second attempt. */
  readonly retry: number;
  /** The random number that jitter is computed from, at least 0 and below 1. */
  readonly random: number;
  /** The delay before the previous retry; for `decorrelated`. */
  readonly previousDelayMs?: number | undefined;
  /** The wait that a server asked for; the delay is at least that long. */
  readonly retryAfterMs?: number | undefined;
}

/** The delay before retry number `retry`, in milliseconds (docs/specification.md#s1-2-1, #s1-2-2). */
export function backoffDelayMs({ settings, retry, random, previousDelayMs, retryAfterMs }: BackoffRequest): number {
  const delay = jitteredDelayMs(settings, retry, random, previousDelayMs);
  if (retryAfterMs === undefined || !(retryAfterMs > 0)) return delay;
  // Callers that received the same Retry-After must not all return at the same moment.
  const spread = settings.jitter === 'none' ? 0 : random * Math.min(grownDelayMs(settings, 1), retryAfterMs * 0.1);
  return Math.max(delay, Math.ceil(retryAfterMs) + spread);
}

function jitteredDelayMs(settings: RetrySettings, retry: number, random: number, previousDelayMs: number | undefined): number {
  const delay = grownDelayMs(settings, retry);
  switch (settings.jitter) {
    case 'none':
      return delay;
    case 'proportional':
      return delay * (1 + (settings.jitterPercent / 100) * (2 * random - 1));
    case 'full':
      return delay * random;
    case 'equal':
      return delay * (0.5 + random / 2);
    case 'decorrelated': {
      const base = Math.min(settings.initialDelayMs, settings.maxDelayMs);
      const ceiling = Math.min(Math.max((previousDelayMs ?? base) * 3, base), settings.maxDelayMs, Number.MAX_SAFE_INTEGER);
      return base + (ceiling - base) * random;
    }
  }
}
