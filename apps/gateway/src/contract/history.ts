/** Owns the types of the history: time series of a tool, the timeline of its circuit, clusters of failures. Types only. */
import type { CallRecord, CircuitChange, CircuitSample, FailureRecord, StrategyCount } from '@holdfast/core/history';
import type { CallCounts, Share } from './overview.ts';
import type { CircuitState } from './tools.ts';

/** Length of the time range of a query. */
export type HistoryRange = '15m' | '1h' | '6h' | '24h' | '7d' | '14d';

/** The history of a tool as columns: each array has one value per step, in the order of `at`, ready for a chart. */
export interface ToolHistory {
  /** Name of the tool. */
  readonly tool_id: string;
  /** The range as requested. It ends now. */
  readonly range: HistoryRange;
  /** Length of one step. */
  readonly step_ms: number;
  /** The start of each step, in seconds since 1970. */
  readonly at: readonly number[];
  /** Calls that succeeded at the first attempt, for each step. */
  readonly first_try: readonly number[];
  /** Calls that succeeded after a retry, by an alternative or by a default, for each step. */
  readonly recovered: readonly number[];
  /** Calls that failed, for each step. Cancelled, skipped and rejected calls are not among them. */
  readonly failed: readonly number[];
  /** Calls that were cancelled, for each step. */
  readonly cancelled: readonly number[];
  /** Calls that were not run because a call that they depend on failed, or because no time was left, for each step. */
  readonly skipped: readonly number[];
  /** Calls with invalid arguments or an unknown tool, for each step. */
  readonly rejected: readonly number[];
  /** Calls that failed because no attempt of them was admitted, for each step. They are also counted in `failed`. */
  readonly refused: readonly number[];
  /** Attempts that began, for each step. */
  readonly attempts: readonly number[];
  /** Retries that the tool made, for each step. */
  readonly retries: readonly number[];
  /** Median of the duration of calls, in milliseconds; `null` in a step without calls. */
  readonly p50_ms: readonly (number | null)[];
  /** 95th percentile of the duration of calls, in milliseconds; `null` in a step without calls. */
  readonly p95_ms: readonly (number | null)[];
  /** 99th percentile of the duration of calls, in milliseconds; `null` in a step without calls. */
  readonly p99_ms: readonly (number | null)[];
  /** 95th percentile of the duration of attempts, without the waits between them. */
  readonly attempt_p95_ms: readonly (number | null)[];
  /** Time that calls spent in attempts that succeeded, in milliseconds, summed over the step. */
  readonly work_ms: readonly number[];
  /** Time that calls spent in attempts that failed, timed out or were cut off, in milliseconds, summed over the step. */
  readonly failed_ms: readonly number[];
  /** Time that calls waited for the backoff of a retry, in milliseconds, summed over the step. */
  readonly backoff_ms: readonly number[];
  /** Time by which retries started later than planned, because their process was busy, in milliseconds, summed over the step. */
  readonly late_ms: readonly number[];
  /** Time that calls waited for a free slot of the tool, in milliseconds, summed over the step. */
  readonly queue_ms: readonly number[];
  /** Time that calls waited for the rate limit or for a server's Retry-After, in milliseconds, summed over the step. */
  readonly hint_ms: readonly number[];
  /** Time that calls waited for the tool to recover, in milliseconds, summed over the step. */
  readonly recovery_ms: readonly number[];
  /** Calls of the whole range, by how they ended. */
  readonly totals: CallCounts;
  /** Share of failed calls in the whole range. Cancelled, skipped and rejected calls do not count. */
  readonly failure: Share;
  /** Share of the retried calls of the range that succeeded. */
  readonly retry_success: Share;
  /** Mean number of attempts of the calls with at least one, alternatives included. Absent without such calls. */
  readonly attempts_per_call?: number;
  /** Retries that were not made, by reason: the values of a failure's `stopped_by`. */
  readonly retries_denied: readonly Counted[];
  /** Failed attempts, by code. */
  readonly errors: readonly Counted[];
  /** The slowest calls of the range. */
  readonly slowest: readonly CallRecord[];
  /** The latest failed calls of the range with their last failure, the newest first. Refused calls are only counted. */
  readonly latest_failures: readonly FailureRecord[];
}

/** A name and how often it occurred. */
export interface Counted {
  /** What was counted, such as an error code. */
  readonly name: string;
  /** How often it occurred in the range. */
  readonly count: number;
}

/** The history of one circuit over a range. */
export interface CircuitTimeline {
  /** Name of the tool. */
  readonly tool_id: string;
  /** The range as requested. It ends now. */
  readonly range: HistoryRange;
  /** Start of the range, ISO 8601 in UTC. */
  readonly since: string;
  /** End of the range, ISO 8601 in UTC. */
  readonly until: string;
  /** State at `since`. `null`: the tool has no circuit breaker, and nothing else here says anything. */
  readonly state: CircuitState | null;
  /** From when on the state is known, ISO 8601 in UTC: the gateway may be younger than the range. */
  readonly known_since: string;
  /** Oldest first. */
  readonly changes: readonly CircuitChange[];
  /** The latest outcomes, oldest first: they show how close the circuit is to opening. */
  readonly samples: readonly CircuitSample[];
  /** What opens and closes the circuit, as a sentence about its settings. */
  readonly rule: string;
}

/** A cluster of similar failures. */
export interface FailureCluster {
  /** Identifies the cluster: a hash of the tool, the code and the pattern. */
  readonly signature: string;
  /** Name of the tool. */
  readonly tool_id: string;
  /** Error code that the failures share. */
  readonly code: string;
  /** Category of the first of the failures, such as `timeout` or `rate_limit`. */
  readonly category: string;
  /** What the first of the failures means for retrying. */
  readonly classification: 'transient' | 'permanent' | 'neutral';
  /** The message without its variable parts, such as `connect ECONNREFUSED <address>`. */
  readonly pattern: string;
  /** The latest message, unchanged. */
  readonly sample: string;
  /** Number of failures since `first_seen`. */
  readonly count: number;
  /** When the first of the failures happened, ISO 8601 in UTC. */
  readonly first_seen: string;
  /** When the latest of the failures happened, ISO 8601 in UTC. */
  readonly last_seen: string;
  /** Failures per hour of the last 24 hours, oldest first. */
  readonly hourly: readonly number[];
  /** The recovery strategies that were tried, and how often they succeeded. */
  readonly strategies: readonly StrategyCount[];
  /** Number of calls with such a failure that succeeded in the end. */
  readonly calls_recovered: number;
  /** Number of calls with such a failure that failed in the end. */
  readonly calls_failed: number;
  /** Whether it was first seen within the last hour. */
  readonly is_new: boolean;
  /** Latest first, at most 10. */
  readonly examples: readonly FailureRecord[];
}

/** `GET /v1/failures`: the known failures in clusters. */
export interface FailureList {
  /** The latest seen first. */
  readonly clusters: readonly FailureCluster[];
}
