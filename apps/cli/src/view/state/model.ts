/**
 * What a turn looks like at one moment, whatever draws it: plain data, no colours, no columns. Texts are as the trace
 * has them; whoever draws makes them safe. All `…Ms` points in time count from the turn's begin.
 */
import type { CircuitState, Decision, DecisionInputs } from '@holdfast/core';

export type CallStatus =
  | 'waiting'
  | 'queued'
  | 'running'
  | 'backing_off'
  | 'success'
  | 'error'
  | 'timeout'
  | 'skipped'
  | 'cancelled'
  | 'not_run';

export type SpanResult = 'running' | 'success' | 'error' | 'timeout' | 'abandoned';

/** A stretch of a call's time: work, our own pause, waiting to be let in, or work that outlived its call. */
export interface SpanView {
  readonly kind: 'attempt' | 'backoff' | 'queue' | 'orphan';
  readonly startMs: number;
  /** Undefined while it goes on. */
  readonly endMs: number | undefined;
  /** When a pause is over. */
  readonly plannedEndMs: number | undefined;
  readonly toolId: string;
  readonly attempt: number;
  readonly result: SpanResult;
  readonly hedge: boolean;
  readonly probe: boolean;
}

export interface FailureView {
  readonly atMs: number;
  readonly toolId: string;
  readonly attempt: number;
  /** As short as can be said: `503`, `timeout`, `CIRCUIT_OPEN`. */
  readonly short: string;
  readonly text: string;
  readonly code: string;
  readonly classification: string;
  readonly refused: boolean;
  readonly retryAfterMs: number | undefined;
}

export interface DecisionView {
  readonly atMs: number;
  readonly toolId: string;
  readonly attempt: number;
  readonly inputs: DecisionInputs;
  readonly decision: Decision;
  readonly decidedBy: string;
}

interface SkipView {
  readonly optional: boolean;
  /** From the direct cause to the first. */
  readonly causedBy: readonly string[];
  readonly text: string;
}

interface ProgressView {
  readonly done: number | undefined;
  readonly total: number | undefined;
  readonly text: string;
  readonly partial: boolean;
}

interface CallResultView {
  readonly status: 'success' | 'error' | 'timeout';
  readonly servedBy: string;
  readonly attempts: number;
  readonly executionTimeMs: number;
  readonly code: string | undefined;
  readonly error: string | undefined;
  readonly stoppedBy: string | undefined;
  readonly fallbackUsed: boolean;
  readonly partial: boolean;
}

export interface CallView {
  readonly callId: string;
  readonly toolId: string;
  /** False for a call that the plan, as far as the trace has it, does not name. */
  readonly planned: boolean;
  readonly dependsOn: readonly string[];
  readonly optional: boolean;
  readonly critical: boolean;
  readonly status: CallStatus;
  readonly startedMs: number | undefined;
  readonly endedMs: number | undefined;
  /** The tool now asked: an alternative's name once one took over. */
  readonly currentTool: string;
  /** The current tool's attempt, 0 before the first. */
  readonly attempt: number;
  /** Known from the first decision on. */
  readonly maxAttempts: number | undefined;
  /** Of all tools that served the call. */
  readonly attempts: number;
  readonly retries: number;
  readonly spans: readonly SpanView[];
  readonly failures: readonly FailureView[];
  readonly decisions: readonly DecisionView[];
  readonly alternatives: readonly string[];
  /** What each default stood in for; an empty text is the tool's own fallback. */
  readonly defaults: readonly string[];
  readonly skip: SkipView | undefined;
  readonly escalation: string | undefined;
  readonly progress: ProgressView | undefined;
  readonly orphan: 'running' | 'late_success' | 'late_failure' | 'abandoned' | undefined;
  readonly result: CallResultView | undefined;
}

export interface CircuitView {
  readonly toolId: string;
  readonly state: CircuitState;
  readonly sinceMs: number;
  readonly openForMs: number | undefined;
  readonly reason: string;
  readonly failureCount: number;
  /** How often it opened within this turn. */
  readonly opened: number;
}

export interface TotalsView {
  readonly calls: number;
  readonly waiting: number;
  readonly active: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly timedOut: number;
  readonly skipped: number;
  readonly cancelled: number;
  /** Calls that the end of the turn found before their first attempt. */
  readonly notRun: number;
  readonly attempts: number;
  readonly retries: number;
  /** Calls whose tool was tried again, but for those that another tool answered in the end. */
  readonly retried: number;
  /** Those of them whose own tool answered in the end. */
  readonly recovered: number;
  readonly alternatives: number;
  readonly defaults: number;
  readonly circuitsOpened: number;
  readonly escalated: number;
  readonly orphans: number;
  readonly workMs: number;
  readonly pausedMs: number;
}

export interface TurnView {
  readonly turnId: string | undefined;
  readonly status: 'empty' | 'running' | 'deadline_reached' | 'cancelled' | 'completed';
  readonly outcome: 'success' | 'partial' | 'failed' | 'deadline' | 'cancelled' | undefined;
  /** ISO 8601; the first event's. */
  readonly startedAt: string | undefined;
  /** Of the latest event. */
  readonly elapsedMs: number;
  readonly durationMs: number | undefined;
  /** Undefined when the turn has none, or the trace does not say. */
  readonly timeoutMs: number | undefined;
  readonly onDeadline: 'detach' | 'abort';
  readonly profile: string;
  readonly seed: string;
  /** In plan order. */
  readonly calls: readonly CallView[];
  readonly circuits: readonly CircuitView[];
  readonly criticalPath: readonly string[];
  readonly summary: string;
  readonly escalated: boolean;
  /** Parts of ours, or hooks, that failed while the turn went on. */
  readonly faults: readonly string[];
  readonly events: number;
  readonly totals: TotalsView;
}
