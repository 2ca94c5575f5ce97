/**
 * Owns how much longer a call may wait for a tool to recover, and how much of the turn must be left when the wait ends.
 * Uses durations only: a turn that outlives its process has its own clock, and so has a gate.
 */

export interface WaitLeftRequest {
  /** Time since the call was submitted. */
  readonly ageMs: number;
  /** Time until the turn's deadline; absent when the turn has none. */
  readonly turnLeftMs: number | undefined;
  readonly maxWaitMs: number;
  /** How much of the turn must be left when the wait ends. */
  readonly marginMs: number;
}

/** The margin is at most this share of a short turn. */
const MAX_MARGIN_SHARE = 0.25;
/** Without a deadline, as long as people and models wait for an answer. */
const MAX_WAIT_WITHOUT_DEADLINE_MS = 60_000;
/** Multiple of the baseline latency: enough for an attempt that takes longer than usual. */
const MARGIN_FACTOR = 5;
const MIN_MARGIN_MS = 1_000;

/** `baselineMs`: how long the tool usually takes; 0 when that is not known. */
export function waitMarginMs(baselineMs: number): number {
  return Math.max(MIN_MARGIN_MS, MARGIN_FACTOR * baselineMs);
}

/** At 0 or less, the wait is over. */
export function waitLeftMs({ ageMs, turnLeftMs, maxWaitMs, marginMs }: WaitLeftRequest): number {
  if (turnLeftMs === undefined) return Math.min(maxWaitMs, MAX_WAIT_WITHOUT_DEADLINE_MS) - ageMs;
  return Math.min(maxWaitMs - ageMs, turnLeftMs - Math.min(marginMs, (turnLeftMs + ageMs) * MAX_MARGIN_SHARE));
}
