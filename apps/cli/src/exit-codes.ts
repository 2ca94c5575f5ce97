/** Owns what the exit code says, and the error that carries a message for the user instead of a stack. */

export const exitCodes = {
  ok: 0,
  /** A required call failed. */
  failed: 1,
  /** The command cannot be carried out as given: arguments, manifest, turn, or something asked for that is not there. */
  usage: 2,
  /** The turn's time was up. */
  deadline: 3,
  /** A bug of Holdfast, as `EX_SOFTWARE` says it. */
  bug: 70,
  /** Cancelled: 128 and the signal's number, as shells have it. */
  interrupted: 130,
} as const;

const marker = 'HOLDFAST_CLI_USAGE';

/** Tells the user what cannot be done, in one sentence and without a stack. */
export class UsageError extends Error {
  readonly code: string = marker;
}

export const isUsageError = (error: unknown): error is UsageError =>
  typeof error === 'object' && error !== null && 'code' in error && error.code === marker;
