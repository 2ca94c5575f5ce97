/**
 * The second detector: opens on a share of failed or slow calls, where failures never come five in a row.
 * Owns what is counted. Permanent and neutral outcomes are not counted: they would dilute the share.
 *
 * 1. No verdict below the minimum number of calls.
 * 2. Only a failed or slow call gives a verdict, so an opening always has a bad call as its cause.
 */
import { addToWindow, createRollingWindow, rollWindow, totalOf, type RollingWindow } from './rolling-window.ts';
import type { Breaker, BreakerSettings, Detect, Observation, RateSettings } from './types.ts';

const column = { calls: 0, failures: 1, slow: 2 } as const;

/** Only a circuit with rate settings has this detector. */
export function detectorFor({ rate }: BreakerSettings): Detect | undefined {
  return rate && detectRate;
}

export function windowFor(rate: RateSettings): RollingWindow {
  return createRollingWindow(rate.windowMs, 3);
}

export function detectRate(breaker: Breaker, observation: Observation, now: number): 'failure_rate' | 'slow_call_rate' | undefined {
  const { window } = breaker;
  const { rate } = breaker.settings;
  if (!window || !rate) return undefined;
  const { minimumCalls, failureRate, slowCallMs = Infinity, slowCallRate = 1 } = rate;
  const failed = observation.outcome === 'transient';
  const slow = observation.durationMs >= slowCallMs;
  rollWindow(window, now);
  addToWindow(window, column.calls);
  if (failed) addToWindow(window, column.failures);
  if (slow) addToWindow(window, column.slow);
  if (!failed && !slow) return undefined;
  const calls = totalOf(window, column.calls);
  if (calls < minimumCalls) return undefined;
  if (failed && totalOf(window, column.failures) / calls >= failureRate) return 'failure_rate';
  return slow && totalOf(window, column.slow) / calls >= slowCallRate ? 'slow_call_rate' : undefined;
}
