/**
 * Owns how much a tool's calls may add to its first attempts: retries, which successes pay for, and the backlog, which leaves at the tool's own rate.
 * Knows neither the circuit nor the waiting line.
 *
 * 1. Every quantity is a ratio (per success, per call, of this process's own rate), so it means the same in one process and in two hundred.
 * 2. First attempts are counted but never held here, and they never leave a debt.
 */

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

/** Tokens at the start, so that the first calls of a process may be retried, and at most: a burst of ten retries is no load. */
const FIRST_TOKENS = 3;
const MAX_TOKENS = 10;
/** A failure that took the tool real work costs this many tokens: at most one such retry per five successes. */
export const WORK_COST = 5;
export const QUICK_COST = 1;
/** The rate is that of about the last ten seconds. */
const RATE_MS = 10_000;
/** The lowest rate, for a process whose first calls have just begun. */
const MIN_RATE = 0.05;
/** First attempts and backlog together start at this multiple of the rate, so the backlog leaves at a quarter of it. */
const PACE = 1.25;
/** Credit is kept for at most this long: a backlog leaves evenly, not in bursts. */
const CREDIT_KEPT_S = 0.1;
/** After this many mean gaps between calls without an attempt, one waiting call starts in any case; chance makes 5 % of the gaps that long. */
const SILENT_GAPS = 3;
const SILENT_GAPS_SLOW = 6;
const MIN_SILENCE_MS = 1_000;
/** Sums of credit differ by less than this from what they should be. */
const ROUNDING = 1e-6;

export function createPace(): Pace {
  return { tokens: FIRST_TOKENS, rate: MIN_RATE, rateAt: -Infinity, credit: 1, creditAt: -Infinity, lastSentAt: -Infinity };
}

/** A call asked for its first attempt, and the tool is up. */
export function noteCall(pace: Pace, now: number): void {
  const others = pace.rateAt === -Infinity ? 0 : pace.rate * Math.exp((pace.rateAt - now) / RATE_MS);
  pace.rate = Math.max(others + 1_000 / RATE_MS, MIN_RATE);
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
  pace.tokens = Math.min(MAX_TOKENS, pace.tokens + 1);
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
    pace.credit = Math.min(Math.max(1, CREDIT_KEPT_S * pace.rate), pace.credit + ((now - pace.creditAt) / 1_000) * PACE * pace.rate);
  pace.creditAt = now;
}

/** Whether a call of the backlog may leave. Call after `earnCredit`. */
export function hasCredit({ credit }: Pace): boolean {
  return credit >= 1 - ROUNDING;
}

/** When the next call of the backlog may leave, unless the tool is slow. */
export function creditDueAt({ credit, creditAt, rate }: Pace): number {
  return credit >= 1 ? creditAt : creditAt + (1_000 * (1 - credit)) / (PACE * rate);
}

/** When a waiting call starts in any case. */
export function silentUntil({ lastSentAt, rate }: Pace, slow: boolean): number {
  return lastSentAt + Math.max(MIN_SILENCE_MS, (1_000 * (slow ? SILENT_GAPS_SLOW : SILENT_GAPS)) / rate);
}

/** The mean time between two calls of this process. */
export function meanGapMs({ rate }: Pace): number {
  return 1_000 / rate;
}
