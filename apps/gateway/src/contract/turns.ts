/** Owns the shapes of turns and of their events. Types only. */
import type { TraceEvent } from '@holdfast/core';
import type { FailureWords, ReportWords, ResultWords } from '@holdfast/manifest';

export type TurnOutcome = 'success' | 'partial' | 'failed' | 'deadline' | 'cancelled';
export type TurnState = 'running' | 'completed' | 'interrupted';

export type TurnReport = ReportWords;

/** Made from the trace, because the report itself is no longer kept: outputs are there only as far as the trace has captured them. */
export interface TracedReport extends Omit<ReportWords, 'results'> {
  readonly results: readonly TracedResult[];
  readonly from_trace: true;
}

export interface TracedResult extends Omit<ResultWords, 'error'> {
  readonly error?: Pick<FailureWords, 'code' | 'message'> & Partial<FailureWords>;
}

/** Of a turn that nobody waits for. */
export interface TurnAccepted {
  readonly turn_id: string;
  readonly state: TurnState;
}

/** One run of a turn in a list. */
export interface TurnItem {
  readonly turn_id: string;
  /** Names this run within the store, since a turn id may be used again. */
  readonly run: number;
  readonly started_at: string;
  readonly ended_at?: string;
  readonly state: TurnState;
  readonly outcome?: TurnOutcome;
  readonly summary?: string;
  readonly calls: number;
  readonly events: number;
  /** What the history knows of it; absent for turns of other programs, and where they are older than it. */
  readonly facts?: TurnFacts;
}

/** What a list of turns is filtered by. */
export interface TurnFacts {
  readonly tools: readonly string[];
  /** Codes of the failures in it. */
  readonly codes: readonly string[];
  readonly duration_ms: number;
  readonly retries: number;
  readonly failed_calls: number;
  readonly skipped_calls: number;
  readonly used_alternative: boolean;
  readonly deadline_missed: boolean;
  readonly repaired: boolean;
}

export interface TurnPage {
  readonly turns: readonly TurnItem[];
  /** Hand it back as `cursor` for what comes behind; absent on the last page. A page may be short, or empty, and still have one. */
  readonly next_cursor?: string;
}

export interface TurnDetail {
  readonly turn_id: string;
  readonly run: number;
  readonly state: TurnState;
  readonly started_at: string;
  /** Absent while the turn runs. */
  readonly report?: TurnReport | TracedReport;
  readonly events: readonly TraceEvent[];
  /** Hand it back as `after` for the events behind; absent when these were the last. */
  readonly next_after?: number;
}

export interface CancelledTurn {
  readonly turn_id: string;
  readonly state: TurnState;
  readonly outcome?: TurnOutcome;
  readonly summary?: string;
}

/** The last message of a stream of events: the turn is over (`end`), or this reader was too slow (`resume`: come back with the last id). */
export interface StreamEnd {
  readonly turn_id: string;
  readonly last_seq: number;
  readonly outcome?: TurnOutcome;
  readonly reason?: 'slow_reader' | 'draining';
}
