/**
 * Owns waiting for the end of a turn that an engine runs.
 *
 * Invariants
 * 1. A broken connection is reopened as long as the engine answers health checks. Regular health checks also detect a hanging connection.
 * 2. The wait ends with the report, at the limit, with the signal, or when the engine no longer answers.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { maxTimerMs } from '@holdfast/core/internal/plain';
import { type EngineReport, isUnavailable, type TurnEngine } from './turn-engine.ts';

export interface WaitOptions {
  readonly limitMs: number;
  readonly signal: AbortSignal;
  /** Interval of the health checks. @default 1000 */
  readonly healthCheckMs?: number;
}

/** Delay before a broken connection is reopened. */
const pauseMs = 200;

/** Resolves with `undefined` at the limit. Rejects when the engine no longer answers, and when the signal is aborted. */
export async function waitForReport(
  engine: TurnEngine,
  turnId: string,
  { limitMs, signal, healthCheckMs = 1_000 }: WaitOptions,
): Promise<EngineReport | undefined> {
  const ended = new AbortController();
  const stopped = AbortSignal.any([signal, ended.signal]);
  try {
    return await Promise.race([
      attachWithRetry(engine, turnId, stopped),
      rejectWhenLost(engine, healthCheckMs, stopped),
      wait(Math.min(limitMs, maxTimerMs), undefined, { signal: stopped, ref: false }),
    ]);
  } finally {
    ended.abort();
  }
}

async function attachWithRetry(engine: TurnEngine, turnId: string, signal: AbortSignal): Promise<EngineReport> {
  for (;;) {
    try {
      return await engine.attach(turnId, { signal });
    } catch (error) {
      if (signal.aborted || !isUnavailable(error)) throw error;
      await wait(pauseMs, undefined, { signal });
    }
  }
}

/** Rejects when the engine has not answered within its time limit. */
async function rejectWhenLost(engine: TurnEngine, healthCheckMs: number, signal: AbortSignal): Promise<never> {
  let since = performance.now();
  for (;;) {
    await wait(healthCheckMs, undefined, { signal, ref: false });
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
