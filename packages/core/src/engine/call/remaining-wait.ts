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
  /** How the tool's failures in a row span time. Absent while its latest attempt succeeded. */
  readonly failures?: FailuresInARow | undefined;
}

/** When a tool's failures in a row began, and how far apart the first and the latest are. */
export interface FailuresInARow {
  readonly beganMs: number;
  readonly spanMs: number;
}

/** As long as people and models wait for an answer: the longest wait without a deadline, and the shortest outage that makes waits shorter. */
const PATIENCE_MS = 60_000;
/** What is left of the turn when the wait ends is this multiple of the usual duration, enough for an attempt that takes longer than usual, ... */
const MARGIN_FACTOR = 5;
const MIN_MARGIN_MS = 1_000;
/** ... but of a short turn this share, or the usual duration: an attempt that cannot end in time only takes the place of others. */
const MAX_MARGIN_SHARE = 0.25;

/**
 * At 0 or less, the wait is over. If the tool had failed for more than a minute when the call began, and for longer than the call could wait, the wait is shorter in
 * the same proportion: an outage that has lasted for so long is not likely to end now, and a tool that stays down does not take the time of every turn.
 */
export function waitLeftMs({ ageMs, turnLeftMs, maxWaitMs, usualMs, failures }: WaitLeftRequest): number {
  if (turnLeftMs !== undefined && usualMs === undefined) return Math.min(maxWaitMs - ageMs, turnLeftMs);
  const mostMs = Math.min(maxWaitMs, turnLeftMs === undefined ? PATIENCE_MS : turnLeftMs + ageMs - marginMs(turnLeftMs + ageMs, usualMs));
  const failingMs = failures === undefined ? 0 : Math.max(Math.min(failures.beganMs - ageMs, failures.spanMs), 0);
  return mostMs * Math.min(Math.max(mostMs, PATIENCE_MS) / failingMs, 1) - ageMs;
}

function marginMs(turnMs: number, usualMs = 0): number {
  const wantedMs = Math.max(MIN_MARGIN_MS, MARGIN_FACTOR * usualMs);
  // A turn shorter than the usual duration expects a shorter one.
  return Math.max(Math.min(wantedMs, turnMs * MAX_MARGIN_SHARE), usualMs < turnMs ? usualMs : 0);
}
