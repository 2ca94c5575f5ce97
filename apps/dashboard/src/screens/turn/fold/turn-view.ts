/**
 * Owns the words for what a turn looks like: calls with the segments of their time, failures, decisions. Plain data; who draws makes it visible.
 * All `…Ms` points in time count from the turn's begin.
 */
import type { RecordedDecision, RecordedDecisionInputs, TurnOutcome } from '@holdfast/gateway/contract';

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

/**
 * A stretch of a call's time. `dependency`: what it needs was not there; `place`: the turn ran as many calls as it may; `prepare`: between begin and first
 * attempt; `queue`: for a slot or a rate limit of its tool; `attempt`: work; `backoff`: the wait before a retry; `late`: work that nobody waited for any more.
 */
export type SegmentKind = 'dependency' | 'place' | 'prepare' | 'queue' | 'attempt' | 'backoff' | 'late';

export type SegmentResult =
  | 'running'
  | 'success'
  | 'error'
  | 'timeout'
  | 'cancelled'
  | 'late_success'
  | 'late_failure'
  | 'abandoned'
  | 'none';

export interface Segment {
  readonly kind: SegmentKind;
  readonly startMs: number;
  /** Undefined while it goes on. */
  readonly endMs: number | undefined;
  /** When a wait is to be over. */
  readonly plannedEndMs: number | undefined;
  readonly toolId: string;
  /** The attempt it is, or the one it waits for. 0: none. */
  readonly attempt: number;
  readonly result: SegmentResult;
  readonly hedge: boolean;
  readonly probe: boolean;
  /** Another tool than the one that was asked for. */
  readonly alternative: boolean;
  /** The time limit of an attempt. */
  readonly timeoutMs: number | undefined;
  readonly circuit: string;
  /** For what a call was queued. */
  readonly wait: string;
  /** A failure's code, or status. */
  readonly code: string;
}

export interface Failure {
  readonly seq: number;
  readonly atMs: number;
  readonly toolId: string;
  /** 0: it was refused before any. */
  readonly attempt: number;
  readonly code: string;
  readonly category: string;
  readonly classification: string;
  readonly rule: string;
  readonly text: string;
  readonly status: number | undefined;
  readonly retryAfterMs: number | undefined;
  readonly ambiguous: boolean;
  readonly refused: boolean;
  readonly circuit: string;
  readonly durationMs: number | undefined;
}

export interface DecisionView {
  readonly seq: number;
  readonly atMs: number;
  readonly toolId: string;
  readonly attempt: number;
  readonly inputs: RecordedDecisionInputs;
  readonly decision: RecordedDecision;
  readonly decidedBy: string;
}

export interface CallEnd {
  readonly status: 'success' | 'error' | 'timeout';
  readonly servedBy: string;
  readonly attempts: number;
  readonly executionMs: number;
  readonly code: string;
  readonly error: string;
  readonly stoppedBy: string;
  readonly fallbackUsed: boolean;
  readonly partial: boolean;
}

interface Skip {
  readonly optional: boolean;
  /** From the direct cause to the first. */
  readonly causedBy: readonly string[];
  readonly text: string;
}

export interface CallView {
  readonly callId: string;
  readonly toolId: string;
  /** Where it stands in the plan; calls that no plan names come behind. */
  readonly index: number;
  readonly planned: boolean;
  readonly dependsOn: readonly string[];
  readonly optional: boolean;
  readonly critical: boolean;
  /** Settings of this call alone. */
  readonly policy: unknown;
  readonly status: CallStatus;
  readonly startedMs: number | undefined;
  readonly endedMs: number | undefined;
  readonly segments: readonly Segment[];
  readonly failures: readonly Failure[];
  readonly decisions: readonly DecisionView[];
  readonly alternatives: readonly string[];
  /** What each default stood in for; an empty text is the tool's own fallback. */
  readonly defaults: readonly string[];
  readonly skip: Skip | undefined;
  readonly escalation: string | undefined;
  readonly end: CallEnd | undefined;
  /** What was captured; `undefined` is nothing. */
  readonly input: unknown;
  readonly output: unknown;
  readonly progress: string;
  /** Places of its events in the trace. */
  readonly events: readonly number[];
  /** Grows with every event: a row that was drawn at this revision needs no drawing. */
  readonly revision: number;
}

export interface CircuitMove {
  readonly seq: number;
  readonly atMs: number;
  readonly toolId: string;
  readonly callId: string;
  readonly state: 'open' | 'half_open' | 'closed';
  readonly reason: string;
  readonly text: string;
  readonly failureCount: number;
}

export interface TurnView {
  readonly turnId: string;
  readonly status: 'empty' | 'running' | 'completed';
  readonly outcome: TurnOutcome | undefined;
  readonly startedAt: string;
  /** Of the latest event. */
  readonly elapsedMs: number;
  readonly durationMs: number | undefined;
  readonly timeoutMs: number | undefined;
  readonly deadlineReachedMs: number | undefined;
  readonly cancelledMs: number | undefined;
  readonly onDeadline: string;
  readonly maxRetries: number | undefined;
  readonly concurrency: number | undefined;
  readonly profile: string;
  readonly seed: string;
  readonly calls: readonly CallView[];
  readonly circuits: readonly CircuitMove[];
  /** Open or half-open when the turn began. */
  readonly circuitsAtStart: readonly { readonly toolId: string; readonly state: string }[];
  /** As recorded; empty while the turn runs. */
  readonly criticalPath: readonly string[];
  readonly summary: string;
  readonly escalated: boolean;
  /** Parts of ours, or hooks, that failed while the turn went on. */
  readonly faults: readonly string[];
  /** Settings by tool, as the engine had them. */
  readonly settings: Readonly<Record<string, unknown>>;
  readonly baseSettings: unknown;
  /** A lone call: it has no plan. */
  readonly lone: boolean;
  readonly events: number;
  readonly revision: number;
}
