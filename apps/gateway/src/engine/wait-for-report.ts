/**
 * Owns waiting for the end of a turn that an engine runs.
 *
 * Invariants
 * 1. A connection that breaks is made again as long as the engine is there; one that hangs is noticed, since the engine is asked now and then whether it is.
 * 2. It ends: with the report, at the limit, with the signal, or when the engine is lost.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { longestTimerMs } from '../plain/wait-at-most.ts';
import { type EngineReport, isUnavailable, type TurnEngine } from './turn-engine.ts';

export interface WaitOptions {
  readonly limitMs: number;
  readonly signal: AbortSignal;
  /** Between two looks at the engine. @default 1000 */
  readonly lookEveryMs?: number;
}

/** Before a connection that broke is made again. */
const pauseMs = 200;

/** Resolves with `undefined` at the limit. Rejects when the engine is lost, and with the signal. */
export async function waitForReport(
  engine: TurnEngine,
  turnId: string,
  { limitMs, signal, lookEveryMs = 1_000 }: WaitOptions,
): Promise<EngineReport | undefined> {
  const over = new AbortController();
  const stopped = AbortSignal.any([signal, over.signal]);
  try {
    return await Promise.race([
      attached(engine, turnId, stopped),
      rejectWhenLost(engine, lookEveryMs, stopped),
      wait(Math.min(limitMs, longestTimerMs), undefined, { signal: stopped, ref: false }),
    ]);
  } finally {
    over.abort();
  }
}

async function attached(engine: TurnEngine, turnId: string, signal: AbortSignal): Promise<EngineReport> {
  for (;;) {
    try {
      return await engine.attach(turnId, { signal });
    } catch (error) {
      if (signal.aborted || !isUnavailable(error)) throw error;
      await wait(pauseMs, undefined, { signal });
    }
  }
}

/** Rejects when the engine has not answered for as long as an answer may take. */
async function rejectWhenLost(engine: TurnEngine, lookEveryMs: number, signal: AbortSignal): Promise<never> {
  let since = performance.now();
  for (;;) {
    await wait(lookEveryMs, undefined, { signal, ref: false });
    const asked = performance.now();
    try {
      await engine.health();
      since = performance.now();
    } catch (error) {
      signal.throwIfAborted();
      if (performance.now() - Math.min(since, asked) >= engine.timeoutMs) throw error;
    }
  }
}
