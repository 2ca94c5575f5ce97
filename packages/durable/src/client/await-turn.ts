/**
 * Owns waiting for a turn's end, across lost connections and restarts of the engine, until the engine is lost for longer than a limit.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { isEngineUnavailable } from '../engine/engine-unavailable.ts';
import type { Ingress } from './ingress.ts';
import { readAnswer, type TurnAnswer } from './read-answer.ts';

/** Longest time that one request stays open: proxies may cut longer ones. */
const ATTACHED_MS = 20_000;
const PAUSE_MS = 100;

export interface LossLimits {
  /** The engine may be lost for this long without interruption. */
  readonly lostMs: number;
  readonly signal: AbortSignal | undefined;
}

/** Retries while the engine is lost, up to the limit. */
export const retryWhileLost = async <Value>(ask: () => Promise<Value>, { lostMs, signal }: LossLimits): Promise<Value> => {
  const until = performance.now() + lostMs;
  for (;;) {
    try {
      // oxlint-disable-next-line no-await-in-loop -- one request at a time
      return await ask();
    } catch (error) {
      if (!isEngineUnavailable(error) || performance.now() >= until) throw error;
      // oxlint-disable-next-line no-await-in-loop -- not faster than an engine can start
      await wait(PAUSE_MS, undefined, signal === undefined ? {} : { signal });
    }
  }
};

const attach = async (ingress: Ingress, turnId: string, signal: AbortSignal | undefined): Promise<TurnAnswer> => {
  try {
    return readAnswer(await ingress.attach(turnId, ATTACHED_MS, signal));
  } catch (error) {
    // The turn or the engine may be slow: a request that can be answered at once shows which.
    if (isEngineUnavailable(error) && error.trouble === 'timeout') return readAnswer(await ingress.output(turnId));
    throw error;
  }
};

/** Resolves to the outcome of the turn. Rejects with the signal's reason, or `ENGINE_UNAVAILABLE`. */
export const awaitTurn = async (ingress: Ingress, turnId: string, limits: LossLimits): Promise<TurnAnswer> => {
  for (;;) {
    // oxlint-disable-next-line no-await-in-loop -- asked again until it is over
    const answer = await retryWhileLost(() => attach(ingress, turnId, limits.signal), limits);
    if (answer.kind !== 'running') return answer;
  }
};
