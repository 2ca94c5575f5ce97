/** Owns the shapes of what was: series of a tool, the timeline of its circuit, failures in clusters. Types only. */
import type { CallCounts, FailurePointer, Share } from './overview.ts';
import type { CircuitState } from './tools.ts';

/** `range` of the queries. */
export type HistoryRange = '15m' | '1h' | '6h' | '24h' | '7d' | '14d';

/** One step of a series. Arrays of numbers in the order of `series.at`, so that a chart takes them as they are. */
export interface ToolHistory {
  readonly tool_id: string;
  readonly range: HistoryRange;
  /** Of one step. */
  readonly step_ms: number;
  /** The begin of each step, seconds since 1970. */
  readonly at: readonly number[];
  readonly first_try: readonly number[];
  readonly recovered: readonly number[];
  readonly failed: readonly number[];
  readonly cancelled: readonly number[];
  readonly skipped: readonly number[];
  readonly rejected: readonly number[];
  readonly refused: readonly number[];
  readonly attempts: readonly number[];
  readonly retries: readonly number[];
  /** Milliseconds; `null` in a step without calls. */
  readonly p50_ms: readonly (number | null)[];
  readonly p95_ms: readonly (number | null)[];
  readonly p99_ms: readonly (number | null)[];
  /** Of attempts, without the waits between them. */
  readonly attempt_p95_ms: readonly (number | null)[];
  /** Where the time of the calls went, milliseconds in all of the step. */
  readonly work_ms: readonly number[];
  readonly backoff_ms: readonly number[];
  readonly queue_ms: readonly number[];
  readonly totals: CallCounts;
  readonly failure: Share;
  readonly retry_success: Share;
  /** Retries that were not made, by why: the words of a failure's `stopped_by`. */
  readonly retries_denied: readonly Counted[];
  /** Failed attempts by their code. */
  readonly errors: readonly Counted[];
  /** The slowest and the latest failed calls of the range. */
  readonly slowest: readonly CallPointer[];
  readonly latest_failures: readonly FailurePointer[];
}

export interface Counted {
  readonly name: string;
  readonly count: number;
}

export interface CallPointer {
  readonly at: string;
  readonly turn_id: string;
  readonly call_id: string;
  readonly duration_ms: number;
  readonly attempts: number;
  readonly status: 'success' | 'error' | 'timeout';
}

/** One outcome that the circuit has seen. */
export interface CircuitSample {
  readonly at: string;
  readonly outcome: 'success' | 'transient' | 'permanent' | 'neutral';
  readonly duration_ms: number;
  readonly turn_id: string;
  readonly call_id: string;
  readonly attempt: number;
  readonly probe?: true;
  readonly code?: string;
  readonly error?: string;
  /** It is one of those that made the circuit change. */
  readonly counted: boolean;
}

export interface CircuitChange {
  readonly id: number;
  readonly at: string;
  readonly from: CircuitState;
  readonly to: CircuitState;
  readonly reason: string;
  readonly message: string;
  readonly failure_count?: number;
  readonly open_for_ms?: number;
  readonly turn_id?: string;
  readonly call_id?: string;
  /** What the circuit had seen before, the oldest first; those that tipped it are `counted`. */
  readonly samples: readonly CircuitSample[];
}

export interface CircuitTimeline {
  readonly tool_id: string;
  readonly range: HistoryRange;
  readonly since: string;
  readonly until: string;
  /** At `since`. */
  readonly state: CircuitState;
  /** The oldest first. */
  readonly changes: readonly CircuitChange[];
  /** The latest outcomes, the oldest first: how near the circuit is to opening. */
  readonly samples: readonly CircuitSample[];
  /** What opens it, in a sentence made from its settings. */
  readonly rule: string;
}

/** Failures that look the same. */
export interface FailureCluster {
  /** Made from tool, code and the message without its numbers and names. */
  readonly signature: string;
  readonly tool_id: string;
  readonly code: string;
  readonly category: string;
  readonly classification: 'transient' | 'permanent' | 'neutral';
  /** The message with its changing parts left out, such as `connect ECONNREFUSED <address>`. */
  readonly pattern: string;
  /** The latest one as it was. */
  readonly sample: string;
  readonly count: number;
  readonly first_seen: string;
  readonly last_seen: string;
  /** Failures an hour, 24 of them, the latest last. */
  readonly hourly: readonly number[];
  /** How each strategy ended that was tried upon it. */
  readonly strategies: readonly StrategyResult[];
  /** How the calls ended in which it occurred. */
  readonly calls_recovered: number;
  readonly calls_failed: number;
  /** Not seen before the last hour. */
  readonly is_new: boolean;
  /** The latest first, at most 10. */
  readonly examples: readonly FailurePointer[];
}

export interface StrategyResult {
  readonly strategy: string;
  readonly tried: number;
  readonly succeeded: number;
}

export interface FailureList {
  /** Those seen last come first. */
  readonly clusters: readonly FailureCluster[];
}
