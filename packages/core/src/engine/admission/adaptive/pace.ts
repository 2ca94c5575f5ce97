/**
 * Owns how much a tool's calls may add to its first attempts: retries and the backlog of an outage, both paid with tokens that successes earn.
 * Knows neither the circuit nor the waiting line.
 *
 * 1. Every quantity is a ratio (per success, per call, of this process's own rate), so it means the same in one process and in two hundred.
 * 2. First attempts are counted, and never held here.
 */
import { numbers } from './numbers.ts';

export class Pace {
  /** Attempts that successes have paid for. */
  tokens: number = numbers.firstTokens;
  /** The mean time between two first attempts of this process; unchanged while the tool is down. */
  gapMs: number = numbers.firstGapMs;
  /** Calls so far, and when the latest came. */
  calls = 0;
  calledAt: number = -Infinity;
  /** When the latest attempt started. */
  lastSentAt: number = -Infinity;
}

/** A call asked for its first attempt, and the tool is up. After the first calls, gaps count by their length: calls that come together count as one. */
export function noteCall(pace: Pace, now: number): void {
  pace.calls += 1;
  if (pace.calls > 1) {
    const gapMs = now - pace.calledAt;
    const share = Math.max(Math.min(1 - Math.exp(-gapMs / numbers.gapsMs), numbers.gapShare), 1 / pace.calls);
    pace.gapMs = Math.min(pace.gapMs + (gapMs - pace.gapMs) * share, numbers.maxGapMs);
  }
  pace.calledAt = now;
}

/** A success that took the usual time pays for one attempt, that of an attempt that was paid for at least for itself. `least`: what the calls that wait may cost. */
export function earn(pace: Pace, tokens = 1, least = 0): void {
  pace.tokens = Math.max(pace.tokens, Math.min(Math.max(mostTokens(pace), least), pace.tokens + tokens));
}

/** What this process may keep: no attempt that costs more can ever be paid. */
export function mostTokens({ gapMs }: Pace): number {
  return Math.max(numbers.firstTokens, Math.min(numbers.maxTokens, numbers.keptMs / gapMs));
}

/** The tool is back: the mean gap is that of before, and nothing has been paid for yet. A fleet comes back at the same moment. */
export function resumePace(pace: Pace, now: number): void {
  if (pace.calls > 0) pace.calledAt = now;
  pace.tokens = 0;
}

/**
 * When a waiting call starts in any case. `costly`: a retry after a time-out. Such retries of many processes keep an overloaded tool down, so a process waits
 * the longer for them the less it knows of its own pace.
 */
export function silentUntil({ calls, gapMs, lastSentAt }: Pace, slow: boolean, costly: boolean): number {
  const silenceMs = Math.max(numbers.minSilenceMs, (slow ? numbers.silentGapsSlow : numbers.silentGaps) * gapMs);
  return lastSentAt + (costly ? (1 + numbers.unsureCalls / Math.max(1, calls)) * silenceMs : silenceMs);
}
