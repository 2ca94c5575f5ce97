/**
 * Owns how much longer a call may wait for a tool to recover. In durations alone: a turn that outlives its process has a clock of its own, and so has a gate.
 */

export interface WaitLeftRequest {
  /** Since the call was submitted. */
  readonly ageMs: number;
  /** Absent when the turn has no deadline. */
  readonly turnLeftMs: number | undefined;
  readonly maxWaitMs: number;
  /** What is to be left of the turn when the wait ends. */
  readonly marginMs: number;
}

/** Of a short turn this share at most is kept back. */
const MOST_MARGIN = 0.25;

/** 0 or less: its wait is over. */
export function waitLeftMs({ ageMs, turnLeftMs, maxWaitMs, marginMs }: WaitLeftRequest): number {
  const left = maxWaitMs - ageMs;
  if (turnLeftMs === undefined) return left;
  return Math.min(left, turnLeftMs - Math.min(marginMs, (turnLeftMs + ageMs) * MOST_MARGIN));
}
