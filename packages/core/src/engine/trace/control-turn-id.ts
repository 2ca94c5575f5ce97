/** Owns the id of the trace of what happens outside of turns, such as changes of circuits by hand. */

/** Id of the trace of what happens outside of turns. */
export const controlTurnId = (prefix: string): string => `${prefix}-control`;

/** Whether a trace is that of what happened outside of turns: it neither begins nor ends. */
export const isControlTurnId = (turnId: string): boolean => /^[\da-f]{8}-control$/u.test(turnId);
