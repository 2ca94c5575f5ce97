/**
 * Owns what an attempt costs of the retry budget and the rate limit: when either of them refuses, and that each is paid once.
 *
 * 1. The budget is paid when a call arrives, before it waits. A retry that waits for recovery is free of it: it starts no sooner than the tool could serve it.
 * 2. A call that waits for a slot alone pays the rate limit before it waits; where calls wait for recovery, they pay it when they start.
 */
import { waitMs } from '../breaker/wait.ts';
import { countCall, limiterFreeAt } from './rate-limiter.ts';
import { budgetFreeAt, countAttempt, retriesLeft } from './retry-budget.ts';
import type { Gate, Refusal } from './types.ts';
import type { Waiter } from './waiting-line.ts';

export function budgetRefusal({ budget }: Gate, retry: boolean, now: number): Refusal | undefined {
  if (!retry || budget === undefined || retriesLeft(budget, now) > 0) return undefined;
  const freeAt = budgetFreeAt(budget, now);
  const refusal: Refusal = { code: 'RETRY_BUDGET_EXHAUSTED', source: 'budget' };
  return freeAt === undefined ? refusal : { ...refusal, retryAfterMs: waitMs(freeAt, now) };
}

export function payBudget({ budget }: Gate, retry: boolean, now: number): void {
  if (budget !== undefined) countAttempt(budget, retry, now);
}

export function rateRefusal({ limiter }: Gate, now: number): Refusal | undefined {
  if (limiter === undefined) return undefined;
  const freeAt = limiterFreeAt(limiter);
  return now >= freeAt ? undefined : { code: 'RATE_LIMITED', source: 'limiter', retryAfterMs: waitMs(freeAt, now) };
}

/** `waiter`: its entry in the waiting line, if it has waited. */
export function payRate({ limiter }: Gate, waiter: Waiter | undefined, now: number): void {
  if (limiter === undefined || waiter?.paid) return;
  if (waiter !== undefined) waiter.paid = true;
  countCall(limiter, now);
}
