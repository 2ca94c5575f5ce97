/**
 * The second detector: opens on a share of failed or slow calls, where failures never come five in a row.
 * Owns what is counted. Permanent and neutral outcomes are not counted: they would dilute the share.
 *
 * 1. No verdict below the minimum number of calls.
 * 2. Only a failed or slow call gives a verdict, so an opening always has a bad call as its cause.
 */
import { countIn, createRollingWindow, resizeWindow, totalsOf, type RollingWindow } from './rolling-window.ts';
import type { Breaker, Detect, RateSettings } from './types.ts';

const column = { calls: 0, failures: 1, slow: 2 } as const;

/** Gives the circuit this detector, or none; counts so far are kept. */
export function useRate(breaker: Breaker, rate: RateSettings | undefined): void {
  if (rate && breaker.window) resizeWindow(breaker.window, rate.windowMs);
  else breaker.window = rate && createRollingWindow(rate.windowMs, 3);
  breaker.detect = rate && breaker.window && detectorOf(breaker.window, rate);
}

function detectorOf(window: RollingWindow, { minimumCalls, failureRate, slowCallMs = Infinity, slowCallRate = 1 }: RateSettings): Detect {
  return ({ durationMs, outcome }, now) => {
    const failed = outcome === 'transient';
    const slow = durationMs >= slowCallMs;
    countIn(window, column.calls, now);
    if (failed) countIn(window, column.failures, now);
    if (slow) countIn(window, column.slow, now);
    if (!failed && !slow) return undefined;
    const [calls = 0, failures = 0, slowCalls = 0] = totalsOf(window, now);
    if (calls < minimumCalls) return undefined;
    if (failed && failures / calls >= failureRate) return 'failure_rate';
    return slow && slowCalls / calls >= slowCallRate ? 'slow_call_rate' : undefined;
  };
}
