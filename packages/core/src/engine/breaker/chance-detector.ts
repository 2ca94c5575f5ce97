/**
 * The first detector with a memory: failures in a row open a circuit only where chance would hardly bring them. A tool that fails three times in ten at random
 * fails five times in a row every few hundred calls, and is not down for that.
 * Owns how long a run of failures must be. The usual share of failures is learned by the gate, which knows what counts as a failure.
 *
 * 1. Never fewer than `failureThreshold` failures, never more than `longestRun`.
 * 2. Without `falseAlarmRate` it is the rate detector, or nothing.
 */
import { detectRate } from './rate-detector.ts';
import type { BreakerSettings, Breaker, Detect, DetectedReason, Observation } from './types.ts';

/** Runs say nothing about a tool that fails more often than this: the longest run decides, and the rate detector. */
const HIGHEST_SHARE = 0.75;

export function detectorFor({ rate, falseAlarmRate }: BreakerSettings): Detect | undefined {
  return falseAlarmRate ? detectRun : rate && detectRate;
}

/** Failures in a row that chance brings with a probability of `falseAlarmRate` at most: share ^ run. */
export function neededRun({ settings, failureShare = 0 }: Breaker): number {
  const { falseAlarmRate = 1, failureThreshold, longestRun = 30 } = settings;
  const share = Math.min(failureShare, HIGHEST_SHARE);
  const run = share > 0 ? Math.ceil(Math.log(falseAlarmRate) / Math.log(share)) : 1;
  return Math.min(Math.max(run, failureThreshold), Math.max(longestRun, failureThreshold));
}

function detectRun(breaker: Breaker, observation: Observation, now: number): DetectedReason | undefined {
  // Counts in any case, whatever the run says.
  const detected = breaker.window && detectRate(breaker, observation, now);
  return breaker.failureCount >= breaker.settings.failureThreshold && breaker.failureCount >= neededRun(breaker)
    ? 'failure_threshold'
    : detected;
}
