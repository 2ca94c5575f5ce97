/** Owns the loop of attempts: whether another follows, and after which delay. */
import type { RequestOutcome, Layer, PeerClock } from '../policy.ts';

/** The budget that pays for retries; shared by all calls. */
export interface RetryBudget {
  /** Takes the cost of a retry; `undefined` when it cannot be paid. */
  readonly take: (outcome: RequestOutcome) => number | undefined;
  /** Receives every outcome of an attempt, with the cost of the attempt. */
  readonly observe: (outcome: RequestOutcome, cost: number) => void;
}

export interface Retrying {
  /** Maximum number of attempts of a call, the first included. */
  readonly attempts: number;
  readonly retries: (outcome: RequestOutcome) => boolean;
  /** The delay before retry `count` (1 for the first); `undefined` ends the call. */
  readonly delayMs: (count: number, outcome: RequestOutcome, previousMs: number) => number | undefined;
  readonly budget?: RetryBudget;
  /** No retry begins later than this after the call began. @default no limit */
  readonly withinMs?: number;
}

export function retrying(clock: PeerClock, settings: Retrying): Layer {
  const { attempts, retries, delayMs, budget, withinMs = Infinity } = settings;
  return (inner) => (call, done) => {
    const startedAt = clock.now();
    const attempt = (count: number, cost: number, previousMs: number): void =>
      inner(call, (outcome) => {
        budget?.observe(outcome, cost);
        if (outcome.kind === 'ok' || !retries(outcome) || count >= attempts) return done(outcome);
        const delay = delayMs(count, outcome, previousMs);
        if (delay === undefined || clock.now() + delay - startedAt > withinMs) return done(outcome);
        const nextCost = budget ? budget.take(outcome) : 0;
        if (nextCost === undefined) return done(outcome);
        clock.after(delay, () => attempt(count + 1, nextCost, delay));
      });
    attempt(1, 0, 0);
  };
}
