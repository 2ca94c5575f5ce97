/**
 * Owns the types of `TurnView`: what a turn looks like at one moment. Plain data without colors, columns or wording.
 * All `…Ms` points in time count from the start of the turn. Strings are as the trace has them; an absent string is ''.
 */
import type { CircuitState } from '../../engine/breaker/types.ts';
import type { Decision, DecisionInputs } from '../../engine/recover/decision.ts';
import type { TurnOutcome } from '../../engine/turn/report.ts';

/** `not_run`: the end of the turn came before the first attempt. */
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
 * What a segment of a call's time was spent on. `dependency`: the calls it depends on had no result yet; `place`: the turn ran as many calls as it may;
 * `prepare`: from its start to its first attempt; `queue`: a slot, a rate limit, a server's hint or the recovery of its tool; `attempt`: the tool ran;
 * `backoff`: the delay before a retry; `late`: work that continued after the attempt was given up.
 */
export type SegmentKind = 'dependency' | 'place' | 'prepare' | 'queue' | 'attempt' | 'backoff' | 'late';

/** How a segment ended. `none`: it is not an attempt, nor late work. */
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

/** One segment of a call's time. */
export interface Segment {
  readonly kind: SegmentKind;
  readonly startMs: number;
  /** Undefined while it lasts. */
  readonly endMs: number | undefined;
  /** When a wait is expected to be over. */
  readonly plannedEndMs: number | undefined;
  readonly toolName: string;
  /** The number of the attempt, or of the one it waits for; 0: none. */
  readonly attempt: number;
  readonly result: SegmentResult;
  /** A second attempt beside a slow one. */
  readonly hedge: boolean;
  /** The attempt that tests a recovering tool. */
  readonly probe: boolean;
  /** The tool is not the one that was asked for. */
  readonly alternative: boolean;
  /** The time limit of an attempt. */
  readonly timeoutMs: number | undefined;
  /** State of the tool's circuit when the attempt started. */
  readonly circuit: string;
  /** Of a queue: `concurrency`, `retry_after` or `recovery`. */
  readonly wait: string;
  /** HTTP status or code of the failure that ended an attempt. */
  readonly code: string;
  /** Of late work: it failed within a second of being told to stop, as a tool does that heeds its signal. */
  readonly stopped: boolean;
}

/** One failed attempt, or one refusal by Holdfast's own admission. */
export interface FailureView {
  readonly seq: number;
  readonly atMs: number;
  readonly toolName: string;
  /** 0: refused before the first attempt. */
  readonly attempt: number;
  readonly code: string;
  readonly category: string;
  readonly classification: string;
  readonly rule: string;
  /** The error's message; '' for a refusal. */
  readonly message: string;
  /** The HTTP status. */
  readonly status: number | undefined;
  readonly retryAfterMs: number | undefined;
  readonly ambiguous: boolean;
  readonly refused: boolean;
  /** The attempt ended at its time limit. */
  readonly timedOut: boolean;
  readonly circuit: string;
  readonly durationMs: number | undefined;
}

/** One decision of the Error Handler. */
export interface DecisionView {
  readonly seq: number;
  readonly atMs: number;
  readonly toolName: string;
  readonly attempt: number;
  readonly inputs: DecisionInputs;
  readonly decision: Decision;
  readonly decidedBy: string;
}

/** How a call ended: its result, without the output. */
export interface CallEnd {
  readonly status: 'success' | 'error' | 'timeout';
  readonly servedBy: string;
  readonly attempts: number;
  readonly executionMs: number;
  readonly code: string;
  readonly error: string;
  readonly classification: string;
  readonly category: string;
  readonly stoppedBy: string;
  readonly fallbackUsed: boolean;
  readonly partial: boolean;
  readonly skipped: boolean;
}

/** Why a call was skipped. */
export interface Skip {
  readonly optional: boolean;
  /** Call ids, from the direct cause to the first. */
  readonly causedBy: readonly string[];
  readonly message: string;
}

/** The latest progress that the running attempt reported. */
export interface ProgressView {
  readonly done: number | undefined;
  readonly total: number | undefined;
  readonly message: string;
  /** There is partial output. */
  readonly partial: boolean;
}

/** One call of a turn. */
export interface CallView {
  readonly callId: string;
  /** The tool that was asked for. */
  readonly toolName: string;
  /** Position in the plan; calls that are in no plan come last. */
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
  /** The tool that is called now: an alternative's name once one took over. */
  readonly currentTool: string;
  /** The current tool's attempt; 0 before the first. */
  readonly attempt: number;
  /** Attempts the current tool may have; known from its first decision on. */
  readonly maxAttempts: number | undefined;
  /** Attempts of all tools that were called for it, hedges included. */
  readonly attempts: number;
  readonly retries: number;
  readonly segments: readonly Segment[];
  readonly failures: readonly FailureView[];
  readonly decisions: readonly DecisionView[];
  readonly alternatives: readonly string[];
  /** The dependencies that a default stood in for; '' is the tool's own fallback. */
  readonly defaults: readonly string[];
  readonly skip: Skip | undefined;
  readonly escalation: string | undefined;
  readonly progress: ProgressView | undefined;
  /** What became of work that outlived its attempt. */
  readonly late: 'running' | 'late_success' | 'late_failure' | 'abandoned' | undefined;
  readonly end: CallEnd | undefined;
  /** As captured; `undefined`: nothing was. */
  readonly input: unknown;
  readonly output: unknown;
  /** Positions of its events among those observed. */
  readonly events: readonly number[];
  /** Grows with every event of the call. */
  readonly revision: number;
}

/** One change of a tool's circuit during the turn. */
export interface CircuitChangeView {
  readonly seq: number;
  readonly atMs: number;
  readonly toolName: string;
  readonly callId: string;
  readonly state: CircuitState;
  readonly reason: string;
  readonly message: string;
  readonly failureCount: number;
  readonly openForMs: number | undefined;
}

/** One turn: its plan, its calls, its circuits, its end. */
export interface TurnView {
  /** '' before the first event. */
  readonly turnId: string;
  readonly status: 'empty' | 'running' | 'completed';
  readonly outcome: TurnOutcome | undefined;
  /** ISO 8601; the timestamp of the first event. */
  readonly startedAt: string;
  /** Of the latest event. */
  readonly elapsedMs: number;
  readonly durationMs: number | undefined;
  /** The soft deadline; undefined: none, or the trace has lost it. */
  readonly timeoutMs: number | undefined;
  readonly deadlineReachedMs: number | undefined;
  readonly cancelledMs: number | undefined;
  readonly onDeadline: 'detach' | 'abort';
  readonly maxRetries: number | undefined;
  readonly concurrency: number | undefined;
  readonly profile: string;
  readonly seed: string;
  /** In plan order. */
  readonly calls: readonly CallView[];
  readonly circuits: readonly CircuitChangeView[];
  /** Circuits that were not closed when the turn began. */
  readonly circuitsAtStart: readonly { readonly toolName: string; readonly state: CircuitState }[];
  /** As recorded; empty while the turn runs. */
  readonly criticalPath: readonly string[];
  readonly summary: string;
  readonly escalated: boolean;
  /** Components and hooks that failed while the turn continued. */
  readonly faults: readonly string[];
  /** Settings by tool, as recorded. */
  readonly settings: Readonly<Record<string, unknown>>;
  readonly baseSettings: unknown;
  /** A call outside any turn: it has no plan, and its end is the end of the trace. */
  readonly single: boolean;
  /** Number of events. */
  readonly events: number;
  readonly revision: number;
}
