/**
 * Owns the port to an engine that runs turns beyond this process, and what is reported about one that is lost. Does not own how it is reached (`restate-engine.ts`).
 *
 * Every request is answered or rejects within the engine's time limit, with a code of `ENGINE_UNAVAILABLE` where the engine does not answer; only `attach` waits.
 */
import type { TurnPlan, TurnReport } from '@holdfast/core';

/** What a turn came to, outputs included. */
export interface EngineReport extends TurnReport {
  /** Why the plan cannot be run. */
  readonly problems?: readonly string[] | undefined;
}

export interface TurnEngine {
  /** `known`: there was a turn of that id already; what is handed in is ignored. */
  submit(turn: { readonly turnId: string; readonly plan: TurnPlan }): Promise<'accepted' | 'known'>;
  /** `undefined`: it has not ended, or is not known any more. */
  report(turnId: string): Promise<EngineReport | undefined>;
  /** Waits for the turn's end. */
  attach(turnId: string, how: { readonly signal: AbortSignal }): Promise<EngineReport>;
  state(turnId: string): Promise<'running' | 'completed' | 'unknown'>;
  cancel(turnId: string, reason?: string): Promise<'cancelled' | 'over' | 'unknown'>;
  /** Rejects where it cannot be worked with. */
  health(): Promise<void>;
  /** What it may take for one answer. */
  readonly timeoutMs: number;
}

export const isUnavailable = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'code' in error && error.code === 'ENGINE_UNAVAILABLE';
