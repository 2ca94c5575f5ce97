/**
 * Owns what an attempt costs of the retry budget and the rate limit: when either of them refuses, and that each is paid once.
 *
 * 1. A call that waits for a slot pays before it waits; a call that waits for recovery pays when it is woken, or returns and is admitted.
 * 2. A retry that has waited for recovery is free of the budget: it started no sooner than the tool could serve it.
 */
import { waitMs } from '../breaker/wait.ts';
import { countCall, limiterFreeAt } from './rate-limiter.ts';
import { budgetFreeAt, countAttempt, retriesLeft } from './retry-budget.ts';
import type { Gate, Refusal } from './types.ts';
import type { Waiter } from './waiting-line.ts';

/** `waiter`: its entry in the waiting line, if it has waited. */
export function limitRefusal({ budget, limiter }: Gate, retry: boolean, waiter: Waiter | undefined, now: number): Refusal | undefined {
  if (waiter?.paid) return undefined;
  if (retry && waiter === undefined && budget !== undefined && retriesLeft(budget, now) === 0) {
    const freeAt = budgetFreeAt(budget, now);
    const refusal: Refusal = { code: 'RETRY_BUDGET_EXHAUSTED', source: 'budget' };
    return freeAt === undefined ? refusal : { ...refusal, retryAfterMs: waitMs(freeAt, now) };
  }
  if (limiter === undefined) return undefined;
  const freeAt = limiterFreeAt(limiter);
  return now >= freeAt ? undefined : { code: 'RATE_LIMITED', source: 'limiter', retryAfterMs: waitMs(freeAt, now) };
}

export function payLimits({ budget, limiter }: Gate, retry: boolean, waiter: Waiter | undefined, now: number): void {
  if (waiter?.paid) return;
  if (waiter !== undefined) waiter.paid = true;
  if (budget !== undefined && (waiter === undefined || !retry)) countAttempt(budget, retry, now);
  if (limiter !== undefined) countCall(limiter, now);
}
