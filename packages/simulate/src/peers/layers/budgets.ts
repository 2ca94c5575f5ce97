/** Owns the budgets that pay for retries, as the libraries define them. */
import type { RequestOutcome, PeerClock } from '../policy.ts';
import type { RetryBudget } from './retrying.ts';

/** A bucket of 500 tokens; a retry costs 14, after a rate limit 5; a success refunds the cost of its attempt, or 1. */
export function refundingBucket(): RetryBudget {
  const size = 500;
  let tokens = size;
  return {
    take(outcome) {
      const cost = outcome.kind === 'rate_limited' ? 5 : 14;
      if (tokens < cost) return undefined;
      tokens -= cost;
      return cost;
    },
    observe(outcome, cost) {
      if (outcome.kind === 'ok') tokens = Math.min(size, tokens + (cost || 1));
    },
  };
}

/** A share of the calls of the last `windowMs`, plus a fixed number per second. */
export function shareOfCalls(clock: PeerClock, share: number, perSecond: number, windowMs: number): RetryBudget {
  const steps = 10;
  const stepMs = windowMs / steps;
  const balances: number[] = Array.from({ length: steps }, () => 0);
  let step = 0;
  const current = (): number => {
    const now = Math.floor(clock.now() / stepMs);
    for (; step < now; step += 1) balances[(step + 1) % steps] = 0;
    return step % steps;
  };
  const add = (amount: number): void => {
    const index = current();
    balances[index] = (balances[index] ?? 0) + amount;
  };
  return {
    take() {
      current();
      const balance = balances.reduce((sum, each) => sum + each, (perSecond * windowMs) / 1000);
      if (balance < 1) return undefined;
      add(-1);
      return 1;
    },
    observe(_answer, cost) {
      // A retry does not count as a call.
      if (cost === 0) add(share);
    },
  };
}

/** A retryable failure takes one token, a success adds `ratio`; retries only while more than half of the tokens are left. */
export function halfFullTokens(max: number, ratio: number): RetryBudget {
  let tokens = max;
  return {
    take: () => (tokens > max / 2 ? 1 : undefined),
    observe(outcome: RequestOutcome) {
      if (outcome.kind === 'ok') tokens = Math.min(max, tokens + ratio);
      else if (outcome.kind === 'unavailable' || outcome.kind === 'rate_limited') tokens = Math.max(0, tokens - 1);
    },
  };
}
