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
  /** How long the tool usually takes; 0 when that is not known. Absent for a first attempt that waits only for its turn: it may start until the deadline, as it would without the layer. */
  readonly usualMs: number | undefined;
}

/** Without a deadline, as long as people and models wait for an answer. */
const MAX_WAIT_WITHOUT_DEADLINE_MS = 60_000;
/** What is left of the turn when the wait ends is this multiple of the usual duration, enough for an attempt that takes longer than usual, ... */
const MARGIN_FACTOR = 5;
const MIN_MARGIN_MS = 1_000;
/** ... but of a short turn this share, or the usual duration: an attempt that cannot end in time only takes the place of others. */
const MAX_MARGIN_SHARE = 0.25;

/** At 0 or less, the wait is over. */
export function waitLeftMs({ ageMs, turnLeftMs, maxWaitMs, usualMs }: WaitLeftRequest): number {
  if (turnLeftMs === undefined) return Math.min(maxWaitMs, MAX_WAIT_WITHOUT_DEADLINE_MS) - ageMs;
  if (usualMs === undefined) return Math.min(maxWaitMs - ageMs, turnLeftMs);
  const turnMs = turnLeftMs + ageMs;
  const wantedMs = Math.max(MIN_MARGIN_MS, MARGIN_FACTOR * usualMs);
  // A turn shorter than the usual duration expects a shorter one.
  const marginMs = Math.max(Math.min(wantedMs, turnMs * MAX_MARGIN_SHARE), usualMs < turnMs ? usualMs : 0);
  return Math.min(maxWaitMs - ageMs, turnLeftMs - marginMs);
}
