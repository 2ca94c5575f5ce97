/** Owns what is answered when the engine that runs turns, or its workers, do not. */
import { describeError } from '@holdfast/core/internal';
import { isUnavailable } from '../../engine/turn-engine.ts';
import { notNow, type Refusal } from '../problem.ts';

const againMs = 5_000;

/** `turnId`: of a turn that was, or may have been, handed over. */
export function engineRefusal(error: unknown, turnId?: string): Refusal {
  const { trouble } = error as { readonly trouble?: unknown };
  if (!isUnavailable(error) || trouble === 'fault')
    return unavailable(
      'ENGINE_FAILED',
      `The engine that runs turns refuses: ${describeError(error).message}`,
      `See what it needs: holdfast doctor. ${retryHint(turnId)}`,
    );
  return unavailable(
    'ENGINE_UNAVAILABLE',
    'The engine that runs turns does not answer',
    `See that it runs: holdfast doctor. ${retryHint(turnId)}`,
  );
}

/** Somebody has ended it at the engine, or the engine has given it up. */
export const endedOutside = (error: unknown): Refusal => ({
  status: 409,
  error: { code: 'TURN_INTERRUPTED', message: describeError(error).message, hint: 'Run what is left of it under another id.' },
});

/** It has not ended long after its deadline. */
export const late = (turnId: string): Refusal =>
  unavailable(
    'NO_WORKER',
    `The turn '${turnId}' has not ended in time: no worker continues with it`,
    `See that one runs: holdfast worker. ${look(turnId)}`,
  );

export const goesOn = (turnId: string): Refusal =>
  unavailable('DRAINING', `The gateway is being shut down; the turn '${turnId}' continues without it`, look(turnId));

function unavailable(code: string, message: string, hint: string): Refusal {
  const refusal = notNow(503, code, message, againMs);
  return { ...refusal, error: { ...refusal.error, hint } };
}

const look = (turnId: string): string =>
  `Look at GET /v1/turns/${encodeURIComponent(turnId)}, or send it again under this id: it is run once.`;

const retryHint = (turnId: string | undefined): string =>
  turnId === undefined ? 'Then send it again.' : `It may have the turn '${turnId}' already: sent again under this id, it is run once.`;
