/**
 * Owns the events of the loop between a model and its tools: what was read, rejected and sent to the model. They are in the trace of their turn, behind what
 * they are about; a session receives the same ones.
 */

/** Where an invalid text came from: the arguments of a tool call, or a structured output (docs/specification.md#s2). */
export type ValidationSource = 'tool' | 'structured_output';

/** Why there is no further attempt of an action that failed its validation. */
export type ValidationStop = 'attempts' | 'time_budget' | 'not_retryable' | 'reducer_error';

/** One failed attempt of an action. */
export interface FailedValidation {
  readonly attempt: number;
  readonly max_attempts: number;
  readonly error_type: string;
  readonly error: string;
  readonly retry_scheduled_at: string;
  readonly delay_ms: number;
}

/** A model sent invalid arguments, and they were repaired. */
export interface ArgumentsRepaired {
  readonly event_type: 'ArgumentsRepaired';
  readonly call_id: string;
  readonly tool_id: string;
  /** What was repaired, as sentences. */
  readonly repairs: readonly string[];
}

/** docs/specification.md#s2: a validation failure that the model may correct; one per failed attempt. */
export interface ValidationRetryScheduled {
  readonly event_type: 'ValidationRetryScheduled';
  readonly source: ValidationSource;
  readonly tool_id?: string;
  readonly call_id?: string;
  /** The attempt that failed, from 1. */
  readonly attempt: number;
  readonly max_attempts: number;
  readonly error_type: string;
  readonly error: string;
  readonly delay_ms: number;
  /** When the next attempt may be made. ISO 8601, UTC. */
  readonly retry_scheduled_at: string;
  /** Whether the model was given the feedback (`emitFeedback`). */
  readonly feedback: boolean;
}

/** docs/specification.md#s2: a validation failure that ends the attempts. */
export interface ValidationRetryExhausted {
  readonly event_type: 'ValidationRetryExhausted';
  readonly source: ValidationSource;
  readonly tool_id?: string;
  readonly call_id?: string;
  /** Attempts made. */
  readonly attempt: number;
  readonly max_attempts: number;
  readonly error_type: string;
  readonly error: string;
  readonly stopped_by: ValidationStop;
  readonly retry_scheduled_at: string;
  readonly feedback: boolean;
  /** Every failed attempt of the action, oldest first. */
  readonly history: readonly FailedValidation[];
  readonly message: string;
}

/** The model corrected itself. */
export interface ValidationRecovered {
  readonly event_type: 'ValidationRecovered';
  readonly source: ValidationSource;
  readonly tool_id?: string;
  readonly call_id?: string;
  /** Attempts made, the good one included. */
  readonly attempts: number;
}

/** A call of a model that was not run, and why. */
export interface AgentCallRefused {
  readonly event_type: 'AgentCallRefused';
  readonly call_id: string;
  readonly tool_id: string;
  /** `REPEATED_FAILURE`, `ANSWER_TRUNCATED`, `INVALID_ARGUMENTS` (unreadable), `DEPENDENCY_FAILED`, `RUN_STOPPED` … */
  readonly code: string;
  readonly error: string;
}

/** The loop should end: nothing more is run for this model. */
export interface AgentRunStopped {
  readonly event_type: 'AgentRunStopped';
  readonly reason: string;
  readonly message: string;
}

/** docs/specification.md#s2: a reducer of the session threw; its slice stayed as it was. */
export interface ReducerFailed {
  readonly event_type: 'ReducerFailed';
  readonly reducer: string;
  /** The event that it was given. */
  readonly payload_type: string;
  readonly error_type: string;
  readonly error: string;
  readonly call_id?: string;
  readonly tool_id?: string;
  /** The event itself; kept by sessions, not by traces. */
  readonly payload?: unknown;
}

/** A request to a provider had to be repaired first. */
export interface TranscriptRepaired {
  readonly event_type: 'TranscriptRepaired';
  readonly format: string;
  readonly profile?: string;
  readonly changes: readonly TranscriptChange[];
  readonly message: string;
}

export interface TranscriptChange {
  readonly rule: string;
  readonly path: string;
  /** `edited`, `added`, `removed` or `moved`, where known. */
  readonly action?: string;
  /** The value before and after. Only with `capture: 'all'`; redacted and cut to size. */
  readonly before?: unknown;
  readonly after?: unknown;
}

export type AgentEventBody =
  | ArgumentsRepaired
  | ValidationRetryScheduled
  | ValidationRetryExhausted
  | ValidationRecovered
  | AgentCallRefused
  | AgentRunStopped
  | ReducerFailed
  | TranscriptRepaired;
