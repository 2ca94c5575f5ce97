/** Owns the types of a turn's report. `create-report.ts` builds it. */
import type { ToolResult } from '../call/result.ts';

/**
 * `success`: every required call succeeded. `deadline`: the turn's time was up before all calls had answered. `partial` and `failed`: a required call did
 * not succeed, and some or no other did.
 */
export type TurnOutcome = 'success' | 'partial' | 'failed' | 'deadline' | 'cancelled';

/** The outcome of a turn, with one result for each of its calls. */
export interface TurnReport {
  /** Id of the turn, as planned or generated. */
  readonly turnId: string;
  /** How the turn ended. */
  readonly outcome: TurnOutcome;
  /** One per call, in the order of the plan. */
  readonly results: readonly ToolResult[];
  /** A sentence such as `Completed flight search, but hotel search timed out`. */
  readonly summary: string;
  /** A `critical` call is lost: the turn has not achieved its purpose. */
  readonly escalated: boolean;
  /** Milliseconds from submission of the turn to its last result. */
  readonly executionTime: number;
  /** Call ids of the chain that took longest, first to last. */
  readonly criticalPath: readonly string[];
}
