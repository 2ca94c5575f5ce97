/** Owns the token bucket of a service: full at first, filled evenly, and each accepted request takes one token. */
import type { TokenBucket } from './limit-types.ts';

/** Returns `undefined` for an accepted request, otherwise the number of whole seconds until there is a token. */
export function createTokenBucket({ ratePerSecond, burst }: TokenBucket, from = 0): (now: number) => number | undefined {
  let tokens = burst;
  let filledAt = from;
  return (now) => {
    tokens = Math.min(burst, tokens + (Math.max(0, now - filledAt) / 1_000) * ratePerSecond);
    filledAt = now;
    if (tokens < 1) return Math.max(1, Math.ceil((1 - tokens) / ratePerSecond));
    tokens -= 1;
    return undefined;
  };
}
