/**
 * Owns the limit on concurrent calls of a tool that is overloaded. Only time-outs set it: latency is no proof of load, and a tool without a time limit has none.
 *
 * 1. Cut at most once per time limit, and never below 1.
 * 2. It rises while it is reached: by one per success, or by one per round of successes while these take longer than usual. It is gone once it has not been
 *    reached for a while.
 */
import { addAnswer, countAnswers } from './latest-answers.ts';
import { numbers } from './numbers.ts';

export class TimeoutLimit {
  /** Infinity when there is none. */
  limit: number = Infinity;
  lastCutAt: number = -Infinity;
  lastReachedAt: number = -Infinity;
  /** The latest outcomes, one bit each: 1 for a time-out. */
  outcomes = 0;
}

/** Whether one more call may start beside `running` others. */
export function hasRoom(limit: TimeoutLimit, running: number, now: number): boolean {
  if (!isFull(limit, running)) return true;
  limit.lastReachedAt = now;
  return false;
}

export function isFull({ limit }: TimeoutLimit, running: number): boolean {
  return running >= Math.floor(limit);
}

/** `slow`: successes take longer than usual, so the tool may carry no more. */
export function noteAnswer(limit: TimeoutLimit, running: number, slow: boolean, now: number): void {
  limit.outcomes = addAnswer(limit.outcomes, false);
  if (limit.limit === Infinity) return;
  if (isFull(limit, running)) {
    limit.lastReachedAt = now;
    limit.limit += slow ? 1 / limit.limit : 1;
  } else if (now - limit.lastReachedAt >= numbers.limitMs) limit.limit = Infinity;
}

export function noteFailure(limit: TimeoutLimit): void {
  limit.outcomes = addAnswer(limit.outcomes, false);
}

/** `running` includes the attempt that timed out. */
export function noteTimeout(limit: TimeoutLimit, timeLimitMs: number, running: number, now: number): void {
  limit.outcomes = addAnswer(limit.outcomes, true);
  if (countAnswers(limit.outcomes) < numbers.timeouts || now - limit.lastCutAt < timeLimitMs) return;
  limit.lastCutAt = limit.lastReachedAt = now;
  limit.limit = Math.max(1, Math.min(limit.limit, running) * numbers.cut);
}

/** The tool is back after it was down by time-outs: it begins with part of the calls that usually run at the same moment. */
export function beginAgain(limit: TimeoutLimit, usualRunning: number, now: number): void {
  limit.outcomes = 0;
  limit.limit = Math.max(numbers.firstLimit, usualRunning * numbers.cut);
  limit.lastReachedAt = now;
}
