/**
 * Owns the events of the loop between a model and its tools: what was repaired, rejected and sent to the model. They are in the trace of their turn, after the
 * events they refer to; a session receives the same ones.
 */

/** Where an invalid text came from: the arguments of a tool call, or a structured output (docs/specification.md#s2). */
export type ValidationSource = 'tool' | 'structured_output';

/** Why there is no further attempt of an action that failed validation. */
export type ValidationStop = 'attempts' | 'time_budget' | 'not_retryable' | 'reducer_error';

/** One failed attempt of an action. */
export interface FailedValidation {
  /** Number of the attempt, from 1. */
  readonly attempt: number;
  /** Attempts that the policy allows, the first included. */
  readonly max_attempts: number;
  /** Name of the error, such as `ToolValidationError`. */
  readonly error_type: string;
  /** Error message, redacted. */
  readonly error: string;
  /** When the next attempt may be made; after the last attempt, when it failed. ISO 8601, UTC. */
  readonly retry_scheduled_at: string;
  /** How long the loop waits before the next attempt; 0 when there is none or no backoff. */
  readonly delay_ms: number;
}

/** A model sent invalid arguments, and they were repaired. */
export interface ArgumentsRepaired {
  /** Discriminates the union of trace events. */
  readonly event_type: 'ArgumentsRepaired';
  /** Id of the call, as the model gave it. */
  readonly call_id: string;
  /** Name of the tool that the model called. */
  readonly tool_id: string;
  /** What was repaired, as sentences. */
  readonly repairs: readonly string[];
}

/** A validation failure that the model may correct; one per failed attempt (docs/specification.md#s2). */
export interface ValidationRetryScheduled {
  /** Discriminates the union of trace events. */
  readonly event_type: 'ValidationRetryScheduled';
  /** Where the text came from: the arguments of a tool call, or a structured output. */
  readonly source: ValidationSource;
  /** Name of the tool that the model called; absent for a structured output. */
  readonly tool_id?: string;
  /** Id of the call, as the model gave it; absent for a structured output. */
  readonly call_id?: string;
  /** The attempt that failed, from 1. */
  readonly attempt: number;
  /** Attempts that the policy allows, the first included. */
  readonly max_attempts: number;
  /** Name of the error, such as `ToolValidationError`. */
  readonly error_type: string;
  /** Error message, redacted. */
  readonly error: string;
  /** How long the loop waits before the next attempt. */
  readonly delay_ms: number;
  /** When the next attempt may be made. ISO 8601, UTC. */
  readonly retry_scheduled_at: string;
  /** Whether the model was given the feedback (`emitFeedback`). */
  readonly feedback: boolean;
}

/** A validation failure that ends the attempts (docs/specification.md#s2). */
export interface ValidationRetryExhausted {
  /** Discriminates the union of trace events. */
  readonly event_type: 'ValidationRetryExhausted';
  /** Where the text came from: the arguments of a tool call, or a structured output. */
  readonly source: ValidationSource;
  /** Name of the tool that the model called; absent for a structured output. */
  readonly tool_id?: string;
  /** Id of the call, as the model gave it; absent for a structured output. */
  readonly call_id?: string;
  /** Attempts made. */
  readonly attempt: number;
  /** Attempts that the policy allows, the first included. */
  readonly max_attempts: number;
  /** Name of the error, such as `ToolValidationError`. */
  readonly error_type: string;
  /** Error message, redacted. */
  readonly error: string;
  /** Why there is no further attempt. */
  readonly stopped_by: ValidationStop;
  /** When the last attempt failed. ISO 8601, UTC. */
  readonly retry_scheduled_at: string;
  /** Whether the model was given the feedback (`emitFeedback`). */
  readonly feedback: boolean;
  /** Every failed attempt of the action, oldest first. */
  readonly history: readonly FailedValidation[];
  /** A sentence such as `search failed validation 3 times: …`. */
  readonly message: string;
}

/** The model corrected its mistake. */
export interface ValidationRecovered {
  /** Discriminates the union of trace events. */
  readonly event_type: 'ValidationRecovered';
  /** Where the text came from: the arguments of a tool call, or a structured output. */
  readonly source: ValidationSource;
  /** Name of the tool that the model called; absent for a structured output. */
  readonly tool_id?: string;
  /** Id of the call, as the model gave it; absent for a structured output. */
  readonly call_id?: string;
  /** Attempts made, the successful one included. */
  readonly attempts: number;
}

/** A model's call that was not run, and why. */
export interface AgentCallRefused {
  /** Discriminates the union of trace events. */
  readonly event_type: 'AgentCallRefused';
  /** Id of the call, as the model gave it. */
  readonly call_id: string;
  /** Name of the tool that the model called. */
  readonly tool_id: string;
  /** `REPEATED_FAILURE`, `ANSWER_TRUNCATED`, `INVALID_ARGUMENTS` (unreadable), `DEPENDENCY_FAILED`, `RUN_STOPPED` … */
  readonly code: string;
  /** Why the call was not run. */
  readonly error: string;
}

/** The loop should end: no further calls are run for this model. */
export interface AgentRunStopped {
  /** Discriminates the union of trace events. */
  readonly event_type: 'AgentRunStopped';
  /** `validation_exhausted`, `repeated_failure` or `too_many_refusals`. */
  readonly reason: string;
  /** The reason as a sentence. */
  readonly message: string;
}

/** A reducer of the session threw; its slice stayed unchanged (docs/specification.md#s2). */
export interface ReducerFailed {
  /** Discriminates the union of trace events. */
  readonly event_type: 'ReducerFailed';
  /** Name of the slice whose reducer threw. */
  readonly reducer: string;
  /** The event that it received. */
  readonly payload_type: string;
  /** Name of the error that the reducer threw. */
  readonly error_type: string;
  /** Error message, redacted. */
  readonly error: string;
  /** Id of the call in the event that the reducer received; absent when it has none. */
  readonly call_id?: string;
  /** Name of the tool in the event that the reducer received; absent when it has none. */
  readonly tool_id?: string;
  /** The event itself; kept by sessions, not by traces. */
  readonly payload?: unknown;
}

/** A request to a provider was repaired before it was sent. */
export interface TranscriptRepaired {
  /** Discriminates the union of trace events. */
  readonly event_type: 'TranscriptRepaired';
  /** Format of the request, such as `openai-chat` or `anthropic-messages`. */
  readonly format: string;
  /** Name of the backend's profile; absent when none was given. */
  readonly profile?: string;
  /** The first 100 changes. */
  readonly changes: readonly TranscriptChange[];
  /** A sentence with the number of all changes, such as `3 changes to the transcript`. */
  readonly message: string;
}

/** One change that a repair made to a transcript. */
export interface TranscriptChange {
  /** Id of the rule that required the change. */
  readonly rule: string;
  /** Where the part is in the request as given; for `added`, in the repaired request. */
  readonly path: string;
  /** `edited`, `added`, `removed` or `moved`, where known. */
  readonly action?: string;
  /** The value before the change. Only with `capture: 'all'`; redacted and cut to size. */
  readonly before?: unknown;
  /** The value after the change. Only with `capture: 'all'`; redacted and cut to size. */
  readonly after?: unknown;
}

/** A request to a model, or its response, failed validation and was not repaired (docs/specification.md#s4-alerts). */
export interface ResponseValidationFailed {
  /** Discriminates the union of trace events. */
  readonly event_type: 'ResponseValidationFailed';
  /** What failed: the request, before it was sent or by the provider's refusal, or the response. */
  readonly stage: ValidationStage;
  /** Format of the request or response, such as `openai-chat`; absent for a turn in the words of the middleware. */
  readonly format?: string;
  /** The first 100 problems. */
  readonly problems: readonly ValidationProblem[];
  /** A sentence with the number of all problems, such as `A response failed validation: 2 problems`. */
  readonly message: string;
}

/** One thing that is wrong with a request to a model, or with its response. */
export interface ValidationProblem {
  /** Id of the broken rule. */
  readonly rule: string;
  /** Where it is in the request or response; empty for the whole. */
  readonly path: string;
  /** What is wrong, redacted. */
  readonly message: string;
}

/** Which part of an exchange with a model was validated. */
export type ValidationStage = 'request' | 'response';

/** An event of the loop between a model and its tools, before it is stamped. */
export type AgentEventBody =
  | ArgumentsRepaired
  | ValidationRetryScheduled
  | ValidationRetryExhausted
  | ValidationRecovered
  | AgentCallRefused
  | AgentRunStopped
  | ReducerFailed
  | TranscriptRepaired
  | ResponseValidationFailed;
