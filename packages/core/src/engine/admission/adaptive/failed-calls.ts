/**
 * Owns when a tool is down: several different calls failed in a row, and none has succeeded for a second, nor for as long as several successes usually take. One
 * call alone never proves it, however often it is tried. Owns how far apart the probes of a tool that is down are.
 *
 * 1. A gate knows calls, not callers. Where all requests of one caller fail, however many, the others succeed as often as before: so the tool is not down.
 * 2. A failure of an attempt that started before one that has succeeded shows nothing about now.
 * 3. A failure without evidence, a cancellation or a turn's own deadline shows nothing about the tool: the caller reports them as neutral.
 */
import type { Observation } from '../../breaker/types.ts';
import { numbers } from './numbers.ts';

export class FailedCalls {
  /** The calls that failed in a row, each once; identified by an object. `at`: when it failed first. */
  calls: { readonly call: object; readonly at: number; readonly timedOut: boolean; readonly askedToWait: boolean }[] = [];
  /** When an attempt last failed. */
  latestAt: number = -Infinity;
  /** When an attempt last succeeded, and when the latest-started of those that succeeded had started. */
  succeededAt: number = -Infinity;
  startedAt: number = -Infinity;
  /** The usual time between two successes; 0 before the second. */
  successGapMs = 0;
  /** The failures that closed the tool were mostly time-outs. */
  byTimeouts = false;
  /** Probes that have failed since the tool went down. */
  probes = 0;
}

export function isStale(failed: FailedCalls, startedAt: number): boolean {
  return startedAt < failed.startedAt;
}

/** `wasDown`: the time since the success before is that of an outage. It counts only while nothing better is known. */
export function noteSuccess(failed: FailedCalls, startedAt: number, now: number, wasDown = false): void {
  if (!wasDown || failed.successGapMs === 0) {
    const since = failed.succeededAt > -Infinity ? failed.succeededAt : (failed.calls[0]?.at ?? now);
    const gapMs = Math.min(now - since, numbers.maxGapMs);
    failed.successGapMs += (gapMs - failed.successGapMs) * (gapMs > failed.successGapMs ? numbers.longerShare : numbers.shorterShare);
  }
  failed.succeededAt = now;
  if (startedAt > failed.startedAt) failed.startedAt = startedAt;
  endRun(failed);
}

/** The tool has answered, with a success or a permanent error. */
export function endRun(failed: FailedCalls): void {
  if (failed.calls.length > 0) failed.calls = [];
}

/** `threshold`: how many calls prove that the tool is down. */
export function noteFailedCall(failed: FailedCalls, call: object, observation: Observation, threshold: number, now: number): void {
  const { calls } = failed;
  const { timedOut = false, retryAfterMs = 0 } = observation;
  failed.latestAt = now;
  if (calls.length >= threshold || calls.some((failure) => failure.call === call)) return;
  calls.push({ call, at: now, timedOut, askedToWait: retryAfterMs > 0 });
}

/** `threshold`: how many calls prove it. A server that asks all of them to wait serves none that start now, even while those that started before still succeed. */
export function isDown({ calls, startedAt, succeededAt, successGapMs }: FailedCalls, threshold: number, now: number): boolean {
  if (calls.length < threshold) return false;
  const gapsMs = threshold * successGapMs;
  return calls.every(({ askedToWait }) => askedToWait) ? now - startedAt >= gapsMs : now - succeededAt >= Math.max(gapsMs, numbers.quietMs);
}

export function mostlyTimedOut({ calls }: FailedCalls): boolean {
  return calls.filter(({ timedOut }) => timedOut).length * 2 > calls.length;
}

/** Until the next probe: about one mean gap between calls, so that probes are never more than the usual load; longer while the server asks to wait. */
export function probeIntervalMs(
  { byTimeouts, probes }: FailedCalls,
  { retryAfterMs = 0, random = 0.5 }: Observation,
  leastMs: number,
  gapMs: number,
): number {
  const gap = byTimeouts ? numbers.probeGaps * gapMs : Math.min(gapMs, numbers.maxProbeMs);
  const interval = Math.max(leastMs, gap) * (1 + numbers.probeSpread * (2 * random - 1));
  // A hint may be wrong: the first probe comes early, and the time doubles while the server repeats its hint.
  const heldMs = Math.min(retryAfterMs, numbers.maxProbeMs, leastMs * 2 ** probes);
  return Math.max(interval, heldMs * (1 + numbers.probeSpread * random));
}
