/** Owns a service's limits on requests: its own and those of faults. Each returns what a refusal says, or `undefined` for an accepted request. */
import { createRateWindow } from './rate-window.ts';
import type { ScheduledFault } from './schedule.ts';
import { createTokenBucket } from './token-bucket.ts';
import type { RetryAfter } from './limit-types.ts';
import type { Service } from './world.ts';

export type Limit = (now: number) => RetryAfter | undefined;

export function limitsOf({ rateLimit, tokenBucket }: Service, faults: readonly ScheduledFault[]): readonly Limit[] {
  const limits: Limit[] = [
    ...(rateLimit ? [saying(rateLimit.retryAfterS, createRateWindow(rateLimit))] : []),
    ...(tokenBucket ? [saying(tokenBucket.retryAfterS, createTokenBucket(tokenBucket))] : []),
  ];
  for (const { kind, fromMs, untilMs } of faults) {
    if (kind.kind !== 'rate_limit' && kind.kind !== 'token_bucket') continue;
    const limit = saying(kind.retryAfterS, kind.kind === 'rate_limit' ? createRateWindow(kind) : createTokenBucket(kind, fromMs));
    limits.push((now) => (now >= fromMs && now < untilMs ? limit(now) : undefined));
  }
  return limits;
}

function saying(retryAfterS: RetryAfter | undefined, limit: (now: number) => number | undefined): Limit {
  if (retryAfterS === undefined) return limit;
  return (now) => (limit(now) === undefined ? undefined : retryAfterS);
}
