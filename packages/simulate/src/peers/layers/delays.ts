/** Owns the delays between attempts, as the libraries compute them. `count` is 1 for the first retry. */
import type { RequestOutcome, PeerClock } from '../policy.ts';

export type Delay = (count: number, outcome: RequestOutcome) => number;

export function exponential(baseMs: number, maxMs: number = Infinity): Delay {
  return (count) => Math.min(maxMs, baseMs * 2 ** (count - 1));
}

/** Uniform between two shares of the delay. */
export function spread(clock: PeerClock, delay: Delay, from: number, to: number): Delay {
  return (count, outcome) => delay(count, outcome) * (from + (to - from) * clock.random());
}

/** "Decorrelated jitter, version 2": the difference between two points of a curve; every call draws its own points. */
export function decorrelated(clock: PeerClock, baseMs: number, maxMs: number): Delay {
  const curve = (attempt: number): number => 2 ** attempt * Math.tanh(Math.sqrt(4 * attempt));
  // The previous end point is drawn again: its distribution is the same, and no state is kept per call.
  return (count) => {
    const from = count === 1 ? 0 : curve(count - 2 + clock.random());
    return Math.min(maxMs, (Math.max(0, curve(count - 1 + clock.random()) - from) / 1.4) * baseMs);
  };
}

/** The delay that the service asked for, if it is at most `upToMs`; else the backoff. */
export function orRetryAfter(delay: Delay, upToMs: number = Infinity): Delay {
  return (count, outcome) => {
    const asked = retryAfterMs(outcome);
    return asked !== undefined && asked <= upToMs ? asked : delay(count, outcome);
  };
}

export function retryAfterMs(outcome: RequestOutcome): number | undefined {
  return outcome.kind === 'rate_limited' || outcome.kind === 'unavailable' ? outcome.retryAfterMs : undefined;
}
