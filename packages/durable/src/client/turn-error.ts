/** Owns the errors of asking for a turn that are not the engine's: recognised by their codes. */

/**
 * `TURN_REFUSED`: it was no turn, or it was ended from outside; the message says what to fix. `TURN_UNKNOWN`: nobody handed it in, or its result is no longer
 * kept. `TURN_CONFLICT`: the id belongs to another plan. `TURN_PENDING`: it was not over within the time that the caller would wait.
 */
export type TurnErrorCode = 'TURN_REFUSED' | 'TURN_UNKNOWN' | 'TURN_CONFLICT' | 'TURN_PENDING';

/** The engine answered, but there is no result to return for this turn. */
export interface TurnError extends Error {
  /** Why there is no result. */
  readonly code: TurnErrorCode;
  /** Id of the turn. */
  readonly turnId: string;
}

export const turnError = (code: TurnErrorCode, turnId: string, message: string): TurnError =>
  Object.assign(new Error(message), { name: 'TurnError', code, turnId });

export const turnUnknown = (turnId: string): TurnError =>
  turnError('TURN_UNKNOWN', turnId, `Turn '${turnId}' is not known: it was never handed in, or its result is no longer kept.`);
