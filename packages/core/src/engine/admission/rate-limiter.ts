/**
 * Owns the limit of `limit` calls in any span of `windowMs`.
 * Keeps the times of the last `limit` calls, in a ring of fixed size. A sliding log and not a token bucket: after a quiet period a bucket lets nearly
 * twice the limit through in one window, and a server that counts exactly would then refuse.
 *
 * 1. In no span [t, t + windowMs) are there more than `limit` calls.
 * 2. A refusal changes nothing.
 * 3. Each call pays once: before it waits for a slot alone, or when it starts where calls wait for recovery.
 */
import { waitMs } from '../breaker/wait.ts';
import type { RateLimitSettings } from '../settings/settings.ts';
import type { Refusal } from './types.ts';
import type { Waiter } from './waiting-line.ts';

export interface RateLimiter {
  readonly limit: number;
  readonly windowMs: number;
  readonly times: Float64Array;
  /** Index of the oldest time, the next to be overwritten. */
  oldest: number;
}

/** When the next call is allowed; in the past when it is allowed now. */
export function limiterFreeAt(limiter: RateLimiter): number {
  return (limiter.times[limiter.oldest] ?? -Infinity) + limiter.windowMs;
}

export function rateRefusal(limiter: RateLimiter | undefined, now: number): Refusal | undefined {
  if (limiter === undefined || now >= limiterFreeAt(limiter)) return undefined;
  return { code: 'RATE_LIMITED', source: 'limiter', retryAfterMs: waitMs(limiterFreeAt(limiter), now) };
}

/** `waiter`: its entry in the waiting line, if it has waited. */
export function payRate(limiter: RateLimiter | undefined, waiter: Waiter | undefined, now: number): void {
  if (limiter === undefined || waiter?.paid) return;
  if (waiter !== undefined) waiter.paid = true;
  countCall(limiter, now);
}

export function countCall(limiter: RateLimiter, now: number): void {
  limiter.times[limiter.oldest] = now;
  limiter.oldest = limiter.oldest + 1 === limiter.limit ? 0 : limiter.oldest + 1;
}

/** The limiter that the settings ask for; it takes over the latest calls of an existing one. */
export function limiterFor(settings: RateLimitSettings | false | undefined, existing?: RateLimiter): RateLimiter | undefined {
  if (settings === undefined || settings === false) return undefined;
  const { limit, windowMs } = settings;
  const limiter: RateLimiter = { limit, windowMs, times: new Float64Array(limit).fill(-Infinity), oldest: 0 };
  if (existing === undefined) return limiter;
  for (let index = 0; index < existing.limit; index += 1) {
    const time = existing.times[(existing.oldest + index) % existing.limit] ?? -Infinity;
    if (time !== -Infinity) countCall(limiter, time);
  }
  return limiter;
}
