/**
 * At most `limit` calls in any span of `windowMs`.
 * Owns the times of the last `limit` calls, in a ring of fixed size. A sliding log and not a token bucket: a bucket lets nearly
 * twice the limit through a window after a quiet time, and a server that counts exactly would then refuse.
 *
 * 1. In no span [t, t + windowMs) are there more than `limit` calls.
 * 2. A refusal changes nothing.
 */
export interface RateLimiter {
  readonly limit: number;
  readonly windowMs: number;
  readonly times: Float64Array;
  /** Index of the oldest time, the next to be overwritten. */
  oldest: number;
}

/** The log costs eight bytes per call of the limit. */
export const largestRateLimit: number = 100_000;

export function createRateLimiter(limit: number, windowMs: number): RateLimiter {
  return { limit, windowMs, times: new Float64Array(limit).fill(Number.NEGATIVE_INFINITY), oldest: 0 };
}

/** From when on the next call is allowed; in the past when it is now. */
export function limiterFreeAt(limiter: RateLimiter): number {
  return (limiter.times[limiter.oldest] ?? Number.NEGATIVE_INFINITY) + limiter.windowMs;
}

export function countCall(limiter: RateLimiter, now: number): void {
  limiter.times[limiter.oldest] = now;
  limiter.oldest = limiter.oldest + 1 === limiter.limit ? 0 : limiter.oldest + 1;
}

/** A limiter with other settings that remembers the latest calls of this one. */
export function resizeRateLimiter(limiter: RateLimiter, limit: number, windowMs: number): RateLimiter {
  const resized = createRateLimiter(limit, windowMs);
  for (let index = 0; index < limiter.limit; index += 1) {
    const time = limiter.times[(limiter.oldest + index) % limiter.limit] ?? Number.NEGATIVE_INFINITY;
    if (time !== Number.NEGATIVE_INFINITY) countCall(resized, time);
  }
  return resized;
}
