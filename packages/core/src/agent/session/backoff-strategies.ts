/**
 * Owns the backoff strategies for a model's next attempt (docs/specification.md#s2-backoff). Does not own waiting or their interface.
 *
 * Invariant: a strategy is a pure function of the attempt and optionally of a seed; two runs with the same seed wait equally long.
 */
import { checkRule, refuse } from '../../engine/settings/check.ts';
import { count } from '../../engine/settings/fields.ts';
import type { BackoffOptions, BackoffStrategy } from '../../engine/settings/validation-retries.ts';

/** A constant delay (docs/specification.md#s2-backoff). */
export class ConstantBackoff implements BackoffStrategy {
  /** The delay before every further attempt, in seconds. */
  readonly seconds: number;

  /** @throws TypeError | RangeError when the delay is not a number of seconds of at least 0 */
  constructor(seconds: number) {
    this.seconds = readSeconds('ConstantBackoff', 'seconds', seconds);
  }

  /** Returns `seconds` for every attempt. */
  delaySeconds(attempt: number, _options?: BackoffOptions): number {
    checkAttempt(attempt);
    return this.seconds;
  }
}

/** `base + step · (attempt - 1)` seconds (docs/specification.md#s2-backoff). */
export class LinearBackoff implements BackoffStrategy {
  /** The delay after the first failed attempt, in seconds. */
  readonly base: number;
  /** Seconds that are added with each further attempt. */
  readonly step: number;

  /** @throws TypeError | RangeError when a number is negative or not finite */
  constructor(base: number, step: number) {
    this.base = readSeconds('LinearBackoff', 'base', base);
    this.step = readSeconds('LinearBackoff', 'step', step);
  }

  /** Returns the delay after failed attempt number `attempt`, from 1, in seconds. */
  delaySeconds(attempt: number, _options?: BackoffOptions): number {
    checkAttempt(attempt);
    return this.base + this.step * (attempt - 1);
  }
}

/** `base · factor ^ (attempt - 1)` seconds (docs/specification.md#s2-backoff). */
export class ExponentialBackoff implements BackoffStrategy {
  /** The delay after the first failed attempt, in seconds. */
  readonly base: number;
  /** The factor by which the delay grows with each further attempt. */
  readonly factor: number;

  /** @throws TypeError | RangeError when a number is negative or not finite */
  constructor(base: number, factor: number) {
    this.base = readSeconds('ExponentialBackoff', 'base', base);
    this.factor = readSeconds('ExponentialBackoff', 'factor', factor);
  }

  /** Returns the delay after failed attempt number `attempt`, from 1, in seconds. */
  delaySeconds(attempt: number, _options?: BackoffOptions): number {
    checkAttempt(attempt);
    // 0 × Infinity is NaN, so a base of 0 is handled separately.
    return this.base === 0 ? 0 : this.base * this.factor ** (attempt - 1);
  }
}

function checkAttempt(attempt: unknown): void {
  checkRule(count, attempt, 'delaySeconds: attempt');
}

function readSeconds(strategy: string, field: string, value: unknown): number {
  if (typeof value !== 'number' || !Number.isFinite(value) || value < 0)
    refuse(`${strategy}: '${field}'`, value, 'a number of seconds, 0 or more', 'number');
  return value;
}
