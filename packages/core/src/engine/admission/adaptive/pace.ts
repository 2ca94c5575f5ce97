/**
 * Owns how much a tool's calls may add to its first attempts: retries and the backlog of an outage, both paid with tokens that successes earn.
 * Knows neither the circuit nor the waiting line.
 *
 * 1. Every quantity is a ratio (per success, per call, of this process's own rate), so it means the same in one process and in two hundred.
 * 2. First attempts are counted, and never held here.
 */
import { numbers } from './numbers.ts';

export interface Pace {
  /** Attempts that successes have paid for. */
  tokens: number;
  /** First attempts per second of this process; unchanged while the tool is down. */
  rate: number;
  rateAt: number;
  /** When the latest attempt started. */
  lastSentAt: number;
}

export function createPace(): Pace {
  return { tokens: numbers.firstTokens, rate: numbers.minRate, rateAt: -Infinity, lastSentAt: -Infinity };
}

/** A call asked for its first attempt, and the tool is up. */
export function noteCall(pace: Pace, now: number): void {
  const others = pace.rateAt === -Infinity ? 0 : pace.rate * Math.exp((pace.rateAt - now) / numbers.rateMs);
  pace.rate = Math.max(others + 1_000 / numbers.rateMs, numbers.minRate);
  pace.rateAt = now;
}

/** A success that took the usual time pays for one attempt. */
export function earn(pace: Pace): void {
  const most = Math.max(numbers.firstTokens, Math.min(numbers.maxTokens, (pace.rate * numbers.keptMs) / 1_000));
  if (pace.tokens < most) pace.tokens = Math.min(most, pace.tokens + 1);
}

/** The tool is back: its rate is that of before, and nothing has been paid for yet. A fleet comes back at the same moment. */
export function resumePace(pace: Pace, now: number): void {
  if (pace.rateAt !== -Infinity) pace.rateAt = now;
  pace.tokens = 0;
}

/** When a waiting call starts in any case. */
export function silentUntil({ lastSentAt, rate }: Pace, slow: boolean): number {
  return lastSentAt + Math.max(numbers.minSilenceMs, (1_000 * (slow ? numbers.silentGapsSlow : numbers.silentGaps)) / rate);
}

/** The mean time between two calls of this process. */
export function meanGapMs({ rate }: Pace): number {
  return 1_000 / rate;
}
