/**
 * Owns the shapes of what the Turn API answers, for its clients. Types only: nothing here is there at run time.
 *
 * Keys are snake_case as in manifests and traces; times are milliseconds (`…_ms`) or ISO 8601 (`…_at`). New optional fields may come.
 */
import type { TraceEvent } from '@holdfast/core';
import type { FailureWords, ReportWords, ResultWords } from '@holdfast/manifest';

export type * from './contract/alerts.ts';
export type * from './contract/history.ts';
export type * from './contract/overview.ts';
export type * from './contract/what-if.ts';
export type { Decision, DecisionInputs, Guard, TraceEvent } from '@holdfast/core';
export type { FailureWords as CallError, ResultWords as CallResult } from '@holdfast/manifest';

/** What every request that could not be served is answered with (`application/problem+json`, RFC 9457). */
export interface ProblemBody {
  readonly status: number;
  readonly title: string;
  readonly detail: string;
  readonly error: ErrorBody;
}

export interface ErrorBody extends FieldProblem {
  /** When coming back may help. */
  readonly retry_after_ms?: number;
  /** Everything that is wrong, where it is more than one thing; the first of them is the error itself. */
  readonly problems?: readonly FieldProblem[];
}

export interface FieldProblem {
  /** Stable and upper case. */
  readonly code: string;
  readonly message: string;
  /** Where, such as `calls[0].args` or a parameter's name. */
  readonly field?: string;
  /** What would be right. */
  readonly allowed?: string;
  /** What was probably meant. */
  readonly suggestion?: string;
  /** What to do. */
  readonly mend?: string;
  /** Of a body that is read as a file; from 1. */
  readonly line?: number;
  readonly column?: number;
}

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

export interface TurnCancelled {
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

export type CircuitState = 'closed' | 'open' | 'half_open';
export type CircuitMode = 'auto' | 'forced_open' | 'disabled' | 'shadow';
export type CircuitCommand = 'open' | 'close' | 'disable' | 'shadow' | 'reset' | 'auto';

export interface ToolHealth {
  /** `null`: the tool has no circuit breaker. */
  readonly circuit: CircuitState | null;
  readonly mode: CircuitMode;
  readonly failure_count: number;
  readonly retry_after_ms?: number;
  readonly in_flight: number;
  readonly orphaned: number;
  readonly queued: number;
  readonly retry_budget_left?: number;
}

export interface ToolMetrics {
  readonly total_executions: number;
  readonly success_count: number;
  readonly execution_error_count: number;
  readonly execution_timeout_count: number;
  readonly cancelled_count: number;
  readonly avg_execution_time_ms: number;
  readonly failure_rate: number;
  /** Failed attempts, also on behalf of another tool; the three above count calls. */
  readonly error_count: number;
  readonly transient_error_count: number;
  readonly permanent_error_count: number;
  readonly retry_count: number;
  readonly retry_success_rate: number;
  readonly circuit_breaker_opens: number;
  readonly timeout_count: number;
  readonly refused_count: number;
}

/** Where a tool comes from. */
export type ToolSource =
  | { readonly kind: 'tool' }
  | { readonly kind: 'mcp'; readonly server: string; readonly tool: string }
  | { readonly kind: 'openapi'; readonly api: string; readonly operation: string };

export interface ToolItem {
  readonly name: string;
  readonly description?: string;
  readonly source: ToolSource;
  /** Its upstream does not answer: this is the last that was known of it. */
  readonly degraded: boolean;
  readonly health: ToolHealth;
  readonly metrics: ToolMetrics;
  /** As in a manifest, all layers merged; `null` stands for no limit. */
  readonly settings: Readonly<Record<string, unknown>>;
}

export interface ToolPage {
  readonly tools: readonly ToolItem[];
  readonly next_cursor?: string;
}

export interface ToolDetail extends ToolItem {
  /** JSON Schema. */
  readonly input_schema?: Readonly<Record<string, unknown>>;
  /** JSON Schema. */
  readonly output_schema?: Readonly<Record<string, unknown>>;
}

export interface ToolCircuit {
  readonly name: string;
  readonly health: ToolHealth;
}

export interface Upstream {
  readonly name: string;
  readonly state: 'idle' | 'connecting' | 'up' | 'down' | 'closed';
  readonly pid?: number;
  readonly protocol_version?: string;
  readonly server_name?: string;
  readonly server_version?: string;
  readonly restarts: number;
  readonly failures: number;
  readonly last_error?: string;
  readonly retry_after_ms?: number;
  /** The last lines of its standard error. */
  readonly stderr_tail?: string;
}

export interface UpstreamList {
  readonly upstreams: readonly Upstream[];
}

export interface Health {
  readonly status: 'ok';
}

export interface Readiness {
  readonly ready: boolean;
  readonly draining: boolean;
  /** Absent where nothing is kept. */
  readonly store?: { readonly ok: boolean; readonly dropped: number; readonly problem?: string };
  readonly upstreams: readonly Pick<Upstream, 'name' | 'state'>[];
  /** Why it is not ready. */
  readonly problems: readonly string[];
}
