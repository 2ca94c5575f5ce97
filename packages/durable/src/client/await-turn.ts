/**
 * Owns the wait for a turn's end: over lost connections and an engine that starts anew, as long as it is not lost for longer than the caller's patience.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { isEngineUnavailable } from '../engine/engine-unavailable.ts';
import type { Ingress } from './ingress.ts';
import { readAnswer, type TurnAnswer } from './read-answer.ts';

/** One request for a turn's end is open so long, at most: what lies between may cut longer ones. */
const ATTACHED_MS = 20_000;
const PAUSE_MS = 100;

export interface Patience {
  /** The engine may be lost so long in a row. */
  readonly lostMs: number;
  readonly signal: AbortSignal | undefined;
}

/** Asks again while the engine is lost, for as long as patience lasts. */
export const persist = async <Value>(ask: () => Promise<Value>, { lostMs, signal }: Patience): Promise<Value> => {
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

const attached = async (ingress: Ingress, turnId: string, signal: AbortSignal | undefined): Promise<TurnAnswer> => {
  try {
    return readAnswer(await ingress.attach(turnId, ATTACHED_MS, signal));
  } catch (error) {
    // That it took long may be the turn's doing or the engine's: asked for what can be answered at once, the engine tells.
    if (isEngineUnavailable(error) && error.trouble === 'timeout') return readAnswer(await ingress.output(turnId));
    throw error;
  }
};

/** What came of the turn. Rejects with the signal's reason, or `ENGINE_UNAVAILABLE`. */
export const awaitTurn = async (ingress: Ingress, turnId: string, patience: Patience): Promise<TurnAnswer> => {
  for (;;) {
    // oxlint-disable-next-line no-await-in-loop -- asked again until it is over
    const answer = await persist(() => attached(ingress, turnId, patience.signal), patience);
    if (answer.kind !== 'running') return answer;
  }
};
