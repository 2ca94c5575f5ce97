/**
 * Owns the port to an engine that runs turns beyond this process, and recognizing that it does not answer. Does not own its implementation (`restate-engine.ts`).
 *
 * Every request settles within the engine's time limit, and rejects with the code `ENGINE_UNAVAILABLE` if the engine does not answer; only `attach` waits longer.
 */
import type { TurnPlan, TurnReport } from '@holdfast/core';

/** The report of a turn, with all outputs. */
export interface EngineReport extends TurnReport {
  /** Why the plan cannot run. */
  readonly problems?: readonly string[] | undefined;
}

export interface TurnEngine {
  /** `known`: a turn with that id existed already, and the plan is ignored. */
  submit(turn: { readonly turnId: string; readonly plan: TurnPlan }): Promise<'accepted' | 'known'>;
  /** Resolves with `undefined` if the turn has not ended, or is no longer known. */
  report(turnId: string): Promise<EngineReport | undefined>;
  /** Waits for the end of the turn. */
  attach(turnId: string, how: { readonly signal: AbortSignal }): Promise<EngineReport>;
  state(turnId: string): Promise<'running' | 'completed' | 'unknown'>;
  cancel(turnId: string, reason?: string): Promise<'cancelled' | 'over' | 'unknown'>;
  /** Rejects if the engine is not usable. */
  health(): Promise<void>;
  /** Time limit of one request. */
  readonly timeoutMs: number;
}

export const isUnavailable = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'code' in error && error.code === 'ENGINE_UNAVAILABLE';
