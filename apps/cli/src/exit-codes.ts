/** The exit codes, and the error whose message is shown to the user without a stack trace. */

export const exitCodes = {
  ok: 0,
  /** A required call failed. */
  failed: 1,
  /** The command cannot run as given: bad arguments, manifest or turn, or something that does not exist. */
  usage: 2,
  /** The turn reached its deadline. */
  deadline: 3,
  /** A bug in Holdfast; same as `EX_SOFTWARE`. */
  bug: 70,
  /** Cancelled by Ctrl-C: 128 plus the signal's number, as in shells. */
  interrupted: 130,
} as const;

const marker = 'HOLDFAST_CLI_USAGE';

/** A problem that the user can fix. The message is one sentence; no stack trace is shown. */
export class UsageError extends Error {
  readonly code: string = marker;
}

export const isUsageError = (error: unknown): error is UsageError =>
  typeof error === 'object' && error !== null && 'code' in error && error.code === marker;
