/**
 * Owns the Turn Trace's vocabulary: one union of event types. Does not own stamping and storing (`recorder.ts`).
 *
 * Invariants
 * 1. Events are plain JSON data in snake_case; nothing live (errors, functions) is in them, and no secret: texts were redacted before.
 * 2. `seq` counts 1, 2, 3 … within a turn; `elapsed_ms` is monotonic time since the turn began.
 * 3. The shapes of `ToolError` (S0 8.2) and `ToolTimeout` (S1 4.4) keep the source's keys; ours come beside them.
 */
import type { CircuitSnapshot, CircuitState } from '../breaker/index.ts';
import type { ErrorCategory, ErrorClass } from '../classify/index.ts';
import type { Decision, DecisionAction, DecisionInputs, StoppedBy } from '../recover/decision.ts';

/** What every event carries; put on by the recorder. */
export interface Stamp {
  readonly turn_id: string;
  readonly seq: number;
  /** ISO 8601, UTC. */
  readonly timestamp: string;
  /** Since the turn began. */
  readonly elapsed_ms: number;
}

/** A call as it was planned. */
export interface PlannedCallRecord {
  readonly call_id: string;
  readonly tool_id: string;
  readonly depends_on: readonly string[];
  readonly optional?: boolean;
  readonly critical?: boolean;
  /** Dependencies whose output has a stand-in. */
  readonly defaults?: readonly string[];
  /** Settings of this call alone. */
  readonly policy?: unknown;
}

export interface TurnStarted {
  readonly event_type: 'TurnStarted';
  readonly seed: string;
  readonly profile: string;
  readonly timeout_ms: number | null;
  readonly concurrency: number;
  readonly on_deadline: 'detach' | 'abort';
  readonly max_retries: number | null;
  readonly calls: readonly PlannedCallRecord[];
  /** The settings every tool of the turn ran under, so that the turn can be replayed without its manifest. */
  readonly tools: Readonly<Record<string, unknown>>;
  /** Settings of tools that are not among them. */
  readonly base: unknown;
  readonly policies: readonly unknown[];
  /** Breakers that were not pristine when the turn began. */
  readonly circuits: Readonly<Record<string, CircuitSnapshot>>;
}

export interface CallStarted {
  readonly event_type: 'CallStarted';
  readonly call_id: string;
  readonly tool_id: string;
  /** Only with `capture`; redacted and cut to size. */
  readonly arguments?: unknown;
}

export interface AttemptStarted {
  readonly event_type: 'AttemptStarted';
  readonly call_id: string;
  readonly tool_id: string;
  readonly attempt: number;
  readonly timeout_ms: number;
  readonly circuit_breaker_state: CircuitState;
  readonly probe?: boolean;
  readonly hedge?: boolean;
}

export interface ToolProgress {
  readonly event_type: 'ToolProgress';
  readonly call_id: string;
  readonly tool_id: string;
  readonly attempt: number;
  readonly progress?: number;
  readonly total?: number;
  readonly message?: string;
  /** The tool handed over partial output. */
  readonly partial?: boolean;
}

export interface ToolSucceeded {
  readonly event_type: 'ToolSucceeded';
  readonly call_id: string;
  readonly tool_id: string;
  readonly attempt: number;
  readonly duration_ms: number;
  /** The how-manieth retry of the tool this was; absent for a first attempt and for a hedged one. */
  readonly retry?: number;
  /** `Tool succeeded on retry 2` where it took more than one attempt (S1 6.3). */
  readonly message?: string;
  readonly output?: unknown;
}

/** S1 4.4. */
export interface ToolTimeout {
  readonly event_type: 'ToolTimeout';
  readonly tool_id: string;
  readonly timeout_ms: number;
  readonly call_id: string;
  readonly attempt: number;
}

/** S0 8.2: one per failure, after the decision about it. */
export interface ToolError {
  readonly event_type: 'ToolError';
  readonly tool_id: string;
  readonly error: string;
  readonly classification: ErrorClass;
  readonly circuit_breaker_state: CircuitState;
  readonly retry_count: number;
  readonly decision: DecisionAction;
  readonly call_id: string;
  readonly attempt: number;
  readonly code: string;
  readonly category: ErrorCategory;
  readonly rule: string;
  readonly ambiguous: boolean;
  readonly duration_ms: number;
  readonly status?: number;
  readonly retry_after_ms?: number;
  /** Where nothing had to be decided: another attempt of the call was still running. */
  readonly message?: string;
}

/** Our own admission said no; the tool was not called. */
export interface CallRefused {
  readonly event_type: 'CallRefused';
  readonly call_id: string;
  readonly tool_id: string;
  readonly code: string;
  readonly circuit_breaker_state: CircuitState;
  readonly retry_after_ms?: number;
  readonly source?: string;
}

/** What was decided about a failure, from what, and who decided. */
export interface RecoveryDecided {
  readonly event_type: 'RecoveryDecided';
  readonly call_id: string;
  readonly tool_id: string;
  readonly attempt: number;
  readonly inputs: DecisionInputs;
  readonly decision: Decision;
  readonly decided_by: 'built_in' | 'handler';
  /** The decision's reason. */
  readonly message: string;
}

export interface RetryScheduled {
  readonly event_type: 'RetryScheduled';
  readonly call_id: string;
  readonly tool_id: string;
  /** The attempt to come. */
  readonly attempt: number;
  readonly delay_ms: number;
}

/** A call waits for a free slot of its tool, or for its rate limit. */
export interface AdmissionWaiting {
  readonly event_type: 'AdmissionWaiting';
  readonly call_id: string;
  readonly tool_id: string;
  readonly wait: 'concurrency' | 'retry_after';
  readonly delay_ms?: number;
}

export interface CircuitBreakerOpened {
  readonly event_type: 'CircuitBreakerOpened';
  readonly tool_id: string;
  /** `Circuit breaker opened for flight_search` (S0 3.3, S1 3.1). */
  readonly message: string;
  readonly reason: string;
  readonly failure_count: number;
  readonly open_for_ms?: number;
  readonly call_id?: string;
}

export interface CircuitBreakerHalfOpened {
  readonly event_type: 'CircuitBreakerHalfOpened';
  readonly tool_id: string;
  readonly message: string;
  readonly reason: string;
  readonly call_id?: string;
}

export interface CircuitBreakerClosed {
  readonly event_type: 'CircuitBreakerClosed';
  readonly tool_id: string;
  readonly message: string;
  readonly reason: string;
  readonly call_id?: string;
}

/** S1 6.4: `Used alternative tool`. */
export interface AlternativeUsed {
  readonly event_type: 'AlternativeUsed';
  readonly call_id: string;
  readonly tool_id: string;
  readonly alternative: string;
  readonly message: string;
}

/** S1 5.3: `Used default value for Tool B`. */
export interface DefaultUsed {
  readonly event_type: 'DefaultUsed';
  readonly call_id: string;
  readonly tool_id: string;
  /** The dependency whose output the default stands in for; absent for a tool's own fallback value. */
  readonly dependency?: string;
  readonly message: string;
}

/** S1 5.1, 5.2: a call that could not run because of what it depends on. */
export interface ToolSkipped {
  readonly event_type: 'ToolSkipped';
  readonly call_id: string;
  readonly tool_id: string;
  readonly optional: boolean;
  /** From the direct cause to the first. */
  readonly caused_by: readonly string[];
  readonly decision: 'skip' | 'escalate';
  readonly message: string;
}

/** Somebody has to know: a required call, or the turn's critical path, is lost. */
export interface Escalated {
  readonly event_type: 'Escalated';
  readonly call_id: string;
  readonly tool_id: string;
  readonly critical: boolean;
  readonly code: string;
  /** What the user is told (S1 6.5: user notified). */
  readonly user_message: string;
  readonly message: string;
}

/** Work that went on after its call was answered has ended. Never delivered, only told. */
export interface LateResult {
  readonly event_type: 'LateResult';
  readonly call_id: string;
  readonly tool_id: string;
  readonly attempt: number;
  readonly result: 'late_success' | 'late_failure';
  readonly duration_ms: number;
}

/** Work that ignored its time limit, and the abandon limit too: its slot is free again, it may still run. */
export interface AttemptAbandoned {
  readonly event_type: 'AttemptAbandoned';
  readonly call_id: string;
  readonly tool_id: string;
  readonly attempt: number;
  readonly duration_ms: number;
}

/** The end of a call: what its result says. */
export interface CallCompleted {
  readonly event_type: 'CallCompleted';
  readonly call_id: string;
  readonly tool_id: string;
  readonly status: 'success' | 'error' | 'timeout';
  readonly served_by: string;
  readonly attempts: number;
  readonly execution_time_ms: number;
  readonly code?: string;
  readonly error?: string;
  readonly classification?: ErrorClass;
  readonly category?: ErrorCategory;
  readonly stopped_by?: StoppedBy;
  readonly fallback_used?: boolean;
  readonly partial?: boolean;
  readonly skipped?: boolean;
  /** The call belonged to no turn: nothing comes after it but late work. */
  readonly ends_turn?: boolean;
}

export interface TurnDeadlineReached {
  readonly event_type: 'TurnDeadlineReached';
  readonly timeout_ms: number;
  readonly running: readonly string[];
  readonly waiting: readonly string[];
  readonly message: string;
}

export interface TurnCancelled {
  readonly event_type: 'TurnCancelled';
  /** `TIMEOUT`: it was the caller's own time limit. */
  readonly code: 'CANCELLED' | 'TIMEOUT';
  readonly message: string;
}

export interface TurnCompleted {
  readonly event_type: 'TurnCompleted';
  readonly outcome: 'success' | 'partial' | 'failed' | 'deadline' | 'cancelled';
  readonly summary: string;
  readonly escalated: boolean;
  readonly duration_ms: number;
  /** The chain of calls that took longest. */
  readonly critical_path: readonly string[];
  readonly message: string;
}

/** A part of ours, or a hook of the user's, failed; the call went on without it. */
export interface ComponentFailed {
  readonly event_type: 'ComponentFailed';
  readonly component: 'handler' | 'policy' | 'memory' | 'listener' | 'store' | 'schema';
  readonly name?: string;
  readonly error: string;
  readonly call_id?: string;
}

/** An event before it is stamped. */
export type TraceEventBody =
  | TurnStarted
  | CallStarted
  | AttemptStarted
  | ToolProgress
  | ToolSucceeded
  | ToolTimeout
  | ToolError
  | CallRefused
  | RecoveryDecided
  | RetryScheduled
  | AdmissionWaiting
  | CircuitBreakerOpened
  | CircuitBreakerHalfOpened
  | CircuitBreakerClosed
  | AlternativeUsed
  | DefaultUsed
  | ToolSkipped
  | Escalated
  | LateResult
  | AttemptAbandoned
  | CallCompleted
  | TurnDeadlineReached
  | TurnCancelled
  | TurnCompleted
  | ComponentFailed;

/** One entry of the Turn Trace. */
export type TraceEvent = TraceEventBody & Stamp;

export type TraceEventType = TraceEventBody['event_type'];
