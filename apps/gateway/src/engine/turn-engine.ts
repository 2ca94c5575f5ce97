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

/** What the engine knows of a turn. `failed`: it was ended at the engine, or was no turn. */
export type EngineOutcome =
  | { readonly state: 'running' | 'unknown' | 'failed' }
  | { readonly state: 'completed'; readonly report: EngineReport };

export interface TurnEngine {
  /** `known`: a turn with that id existed already, and the plan is ignored. */
  submit(turn: { readonly turnId: string; readonly plan: TurnPlan }): Promise<'accepted' | 'known'>;
  /** A state and its report are one answer, so that no turn is completed without a report. */
  outcome(turnId: string): Promise<EngineOutcome>;
  /** Waits for the end of the turn. */
  attach(turnId: string, how: { readonly signal: AbortSignal }): Promise<EngineReport>;
  cancel(turnId: string, reason?: string): Promise<'cancelled' | 'over' | 'unknown'>;
  /** Rejects if the engine is not usable. */
  health(): Promise<void>;
  /** Time limit of one request. */
  readonly timeoutMs: number;
}

export const isUnavailable = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'code' in error && error.code === 'ENGINE_UNAVAILABLE';
