/**
 * The first detector with a memory: consecutive failures open a circuit only where they are unlikely to be chance. A tool that fails three times in ten at
 * random fails five times in a row every few hundred calls, and is not down when it does.
 * Owns how long a run of failures must be. The gate learns the usual share of failures, since it knows what counts as a failure.
 *
 * 1. Never fewer than `failureThreshold` failures, never more than `longestRun`.
 * 2. Without `falseAlarmRate`, it is the rate detector or nothing.
 */
import { detectRate } from './rate-detector.ts';
import type { BreakerSettings, Breaker, Detect, DetectedReason, Observation } from './types.ts';

/** Runs show nothing about a tool that fails more often than this: the longest run decides, and the rate detector. */
const MAX_SHARE = 0.75;

export function detectorFor({ rate, falseAlarmRate }: BreakerSettings): Detect | undefined {
  return falseAlarmRate ? detectRun : rate && detectRate;
}

/** The length of a run of failures whose probability by chance is at most `falseAlarmRate`: share ^ run. */
export function neededRun({ settings, failureShare = 0 }: Breaker): number {
  const { falseAlarmRate = 1, failureThreshold, longestRun = 30 } = settings;
  const share = Math.min(failureShare, MAX_SHARE);
  const run = share > 0 ? Math.ceil(Math.log(falseAlarmRate) / Math.log(share)) : 1;
  return Math.min(Math.max(run, failureThreshold), Math.max(longestRun, failureThreshold));
}

function detectRun(breaker: Breaker, observation: Observation, now: number): DetectedReason | undefined {
  // Counted in any case, whatever the run shows.
  const detected = breaker.window && detectRate(breaker, observation, now);
  return breaker.failureCount >= breaker.settings.failureThreshold && breaker.failureCount >= neededRun(breaker)
    ? 'failure_threshold'
    : detected;
}
