/** Owns the errors of a turn's result that are not the engine's. Recognised by their codes. */

/**
 * `TURN_REFUSED`: the request was no turn, or the turn was ended from outside; the message has the fix. `TURN_UNKNOWN`: it was never submitted, or its result
 * is no longer kept. `TURN_CONFLICT`: the id belongs to another plan. `TURN_PENDING`: it did not end within the caller's time limit.
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
  turnError('TURN_UNKNOWN', turnId, `Turn '${turnId}' is unknown: it was never submitted, or its result is no longer kept.`);
