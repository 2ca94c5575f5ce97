/** Owns the refusals when the engine that runs turns, or its workers, do not answer. */
import { describeError } from '@holdfast/core/internal';
import { isUnavailable } from '../../engine/turn-engine.ts';
import { notNow, type Refusal } from '../problem.ts';

const retryAfterMs = 5_000;

/** `turnId`: the turn that was, or may have been, submitted. */
export function engineRefusal(error: unknown, turnId?: string): Refusal {
  const { trouble } = error as { readonly trouble?: unknown };
  if (!isUnavailable(error) || trouble === 'fault')
    return unavailable(
      'ENGINE_FAILED',
      `The engine that runs turns refused the request: ${describeError(error).message}`,
      `Run holdfast doctor to find the cause. ${retryHint(turnId)}`,
    );
  return unavailable(
    'ENGINE_UNAVAILABLE',
    'The engine that runs turns does not answer',
    `Check that it is running: holdfast doctor. ${retryHint(turnId)}`,
  );
}

/** The turn was ended at the engine, or the engine gave it up. */
export const endedOutside = (error: unknown): Refusal => ({
  status: 409,
  error: { code: 'TURN_INTERRUPTED', message: describeError(error).message, hint: 'Run the remaining calls as a turn with another id.' },
});

/** The turn has not ended long after its deadline. */
export const notEndedInTime = (turnId: string): Refusal =>
  unavailable(
    'NO_WORKER',
    `The turn '${turnId}' has not ended in time: no worker runs it`,
    `Start one: holdfast worker. ${seeTurn(turnId)}`,
  );

export const turnContinues = (turnId: string): Refusal =>
  unavailable('DRAINING', `The gateway is shutting down; the turn '${turnId}' continues without it`, seeTurn(turnId));

function unavailable(code: string, message: string, hint: string): Refusal {
  const refusal = notNow(503, code, message, retryAfterMs);
  return { ...refusal, error: { ...refusal.error, hint } };
}

const seeTurn = (turnId: string): string =>
  `See GET /v1/turns/${encodeURIComponent(turnId)}, or send it again under this id: it runs only once.`;

const retryHint = (turnId: string | undefined): string =>
  turnId === undefined
    ? 'Then send the turn again.'
    : `The engine may already have the turn '${turnId}'. You can send it again under this id: it runs only once.`;
