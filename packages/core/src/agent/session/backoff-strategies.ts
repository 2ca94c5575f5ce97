/**
 * Owns the strategies that say how long the loop waits before a model's next attempt (docs/specification.md#s2-backoff). Does not own waiting.
 *
 * Invariant: a strategy is a pure function of the attempt and, where it wants one, of a seed; two runs with the same seed wait the same.
 */
import { refuse } from '../../engine/settings/check.ts';

/** What a backoff strategy may use besides the number of the attempt. */
export interface BackoffOptions {
  /** For strategies of your own that spread delays: the only randomness there is. */
  readonly seed?: string | undefined;
}

/** How long to wait after a failed attempt (docs/specification.md#s2-backoff). */
export interface BackoffStrategy {
  /**
   * Returns the delay before the next attempt, in seconds. An answer that is no positive number means no delay.
   * @param attempt the attempt that failed, from 1
   */
  delaySeconds(attempt: number, options?: BackoffOptions): number;
}

/** Always the same delay (docs/specification.md#s2-backoff). */
export class ConstantBackoff implements BackoffStrategy {
  /** The delay before every further attempt, in seconds. */
  readonly seconds: number;

  /** @throws TypeError | RangeError when the delay is no number of seconds, 0 or more. */
  constructor(seconds: number) {
    this.seconds = checked('ConstantBackoff', 'seconds', seconds);
  }

  /** Returns `seconds`, whatever the attempt. */
  delaySeconds(_attempt: number, _options?: BackoffOptions): number {
    return this.seconds;
  }
}

/** `base + step · (attempt - 1)` seconds (docs/specification.md#s2-backoff). */
export class LinearBackoff implements BackoffStrategy {
  /** The delay after the first failed attempt, in seconds. */
  readonly base: number;
  /** Seconds that are added with each further attempt. */
  readonly step: number;

  /** @throws TypeError | RangeError when a number is not finite, or below 0. */
  constructor(base: number, step: number) {
    this.base = checked('LinearBackoff', 'base', base);
    this.step = checked('LinearBackoff', 'step', step);
  }

  /** Returns the delay after failed attempt number `attempt`, from 1, in seconds. */
  delaySeconds(attempt: number, _options?: BackoffOptions): number {
    return this.base + this.step * (attempt - 1);
  }
}

/** `base · factor ^ (attempt - 1)` seconds (docs/specification.md#s2-backoff). */
export class ExponentialBackoff implements BackoffStrategy {
  /** The delay after the first failed attempt, in seconds. */
  readonly base: number;
  /** By how much the delay is multiplied with each further attempt. */
  readonly factor: number;

  /** @throws TypeError | RangeError when a number is not finite, or below 0. */
  constructor(base: number, factor: number) {
    this.base = checked('ExponentialBackoff', 'base', base);
    this.factor = checked('ExponentialBackoff', 'factor', factor);
  }

  /** Returns the delay after failed attempt number `attempt`, from 1, in seconds. */
  delaySeconds(attempt: number, _options?: BackoffOptions): number {
    // 0 × Infinity is NaN: no delay stays no delay.
    return this.base === 0 ? 0 : this.base * this.factor ** (attempt - 1);
  }
}

function checked(strategy: string, field: string, value: unknown): number {
  if (typeof value !== 'number' || !Number.isFinite(value) || value < 0)
    refuse(`${strategy}: '${field}'`, value, 'a number of seconds, 0 or more', 'number');
  return value;
}
