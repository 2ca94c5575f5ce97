/** Owns the events of one call: admission, attempts, failures and what was decided about them, its end. */
import type { CircuitState } from '../../breaker/types.ts';
import type { ErrorCategory, ErrorClass } from '../../classify/classification.ts';
import type { DecisionAction, StoppedBy } from '../../recover/decision.ts';
import type { RecordedDecision, RecordedDecisionInputs } from './decision.ts';

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
  /** How long it had waited at the gate; only where calls wait for recovery. */
  readonly wait_ms?: number;
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
  /** The number of this retry of the tool, from 1; absent for a first attempt and for a hedged one. */
  readonly retry?: number;
  /** `Tool succeeded on retry 2` where it took more than one attempt (docs/specification.md#s1-6-3). */
  readonly message?: string;
  readonly output?: unknown;
}

/** docs/specification.md#s1 4.4. */
export interface ToolTimeout {
  readonly event_type: 'ToolTimeout';
  readonly tool_id: string;
  readonly timeout_ms: number;
  readonly call_id: string;
  readonly attempt: number;
}

/** docs/specification.md#s0-8-2: one per failure, after the decision about it. */
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

/** The gate refused the call; the tool was not called. */
export interface CallRefused {
  readonly event_type: 'CallRefused';
  readonly call_id: string;
  readonly tool_id: string;
  readonly code: string;
  readonly circuit_breaker_state: CircuitState;
  readonly retry_after_ms?: number;
  readonly source?: string;
  /** How long it had waited at the gate; only where calls wait for recovery. */
  readonly wait_ms?: number;
}

/** The decision about a failure, its inputs, and what decided. */
export interface RecoveryDecided {
  readonly event_type: 'RecoveryDecided';
  readonly call_id: string;
  readonly tool_id: string;
  readonly attempt: number;
  readonly inputs: RecordedDecisionInputs;
  readonly decision: RecordedDecision;
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

/** A call waits for a free slot of its tool, for its rate limit, or for the tool to recover. */
export interface AdmissionWaiting {
  readonly event_type: 'AdmissionWaiting';
  readonly call_id: string;
  readonly tool_id: string;
  readonly wait: 'concurrency' | 'retry_after' | 'recovery';
  /** Of `recovery`: when it could continue at the earliest. */
  readonly delay_ms?: number;
  /** The allowed concurrency, where it is learned. */
  readonly limit?: number;
  /** Calls that waited then, this one included; where calls wait for recovery. */
  readonly queued?: number;
}

/** docs/specification.md#s1-6-4: `Used alternative tool`. */
export interface AlternativeUsed {
  readonly event_type: 'AlternativeUsed';
  readonly call_id: string;
  readonly tool_id: string;
  readonly alternative: string;
  readonly message: string;
}

/** Work that continued after its call was answered has ended. Recorded, never delivered. */
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

/** The end of a call, with what its result contains. */
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
  /** Total time that it waited at gates; only where calls wait for recovery. */
  readonly wait_ms?: number;
  /** The call belonged to no turn: nothing comes after it but late work. */
  readonly ends_turn?: boolean;
}
