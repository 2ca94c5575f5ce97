/**
 * Owns how much a tool's calls may add to its first attempts: retries, which successes pay for, and the backlog, which leaves at the tool's own rate.
 * Knows neither the circuit nor the waiting line.
 *
 * 1. Every quantity is a ratio (per success, per call, of this process's own rate), so it means the same in one process and in two hundred.
 * 2. First attempts are counted but never held here, and they never leave a debt.
 */
import { numbers } from './numbers.ts';

export interface Pace {
  /** Retries that successes have paid for. */
  tokens: number;
  /** First attempts per second of this process; unchanged while the tool is down. */
  rate: number;
  rateAt: number;
  /** Calls of the backlog that may leave now; as of `creditAt`. */
  credit: number;
  creditAt: number;
  /** When the latest attempt started. */
  lastSentAt: number;
}

/** Sums of credit differ by less than this from what they should be. */
const ROUNDING = 1e-6;

export function createPace(): Pace {
  return { tokens: numbers.firstTokens, rate: numbers.minRate, rateAt: -Infinity, credit: 1, creditAt: -Infinity, lastSentAt: -Infinity };
}

/** A call asked for its first attempt, and the tool is up. */
export function noteCall(pace: Pace, now: number): void {
  const others = pace.rateAt === -Infinity ? 0 : pace.rate * Math.exp((pace.rateAt - now) / numbers.rateMs);
  pace.rate = Math.max(others + 1_000 / numbers.rateMs, numbers.minRate);
  pace.rateAt = now;
}

/** An attempt starts. */
export function noteSent(pace: Pace, slow: boolean, now: number): void {
  earnCredit(pace, slow, now);
  pace.credit = Math.max(0, pace.credit - 1);
  pace.lastSentAt = now;
}

/** A success pays for a retry. */
export function earnToken(pace: Pace): void {
  pace.tokens = Math.min(numbers.maxTokens, pace.tokens + 1);
}

/** The tool is back: its rate is that of before, and one call of the backlog may leave. */
export function resumePace(pace: Pace, now: number): void {
  if (pace.rateAt !== -Infinity) pace.rateAt = now;
  pace.credit = 1;
  pace.creditAt = now;
}

/** Adds the credit earned since the last time; a slow tool earns none. */
export function earnCredit(pace: Pace, slow: boolean, now: number): void {
  if (!slow && pace.creditAt !== -Infinity)
    pace.credit = Math.min(Math.max(1, numbers.creditS * pace.rate), pace.credit + ((now - pace.creditAt) / 1_000) * creditRate(pace));
  pace.creditAt = now;
}

/** Whether a call of the backlog may leave. Call after `earnCredit`. */
export function hasCredit({ credit }: Pace): boolean {
  return credit >= 1 - ROUNDING;
}

/** When the next call of the backlog may leave, if the tool is as slow as now. */
export function creditDueAt(pace: Pace, slow: boolean): number {
  if (hasCredit(pace)) return pace.creditAt;
  return slow ? Infinity : pace.creditAt + (1_000 * (1 - pace.credit)) / creditRate(pace);
}

/** When a waiting call starts in any case. */
export function silentUntil({ lastSentAt, rate }: Pace, slow: boolean): number {
  return lastSentAt + Math.max(numbers.minSilenceMs, (1_000 * (slow ? numbers.silentGapsSlow : numbers.silentGaps)) / rate);
}

/** Every attempt uses credit, so the backlog gets what the first attempts leave. */
function creditRate({ rate }: Pace): number {
  return (1 + numbers.backlogShare) * rate;
}

/** The mean time between two calls of this process. */
export function meanGapMs({ rate }: Pace): number {
  return 1_000 / rate;
}
