/**
 * Owns the errors of validation (docs/specification.md#s2-flow). The first two are thrown by those who validate; the others are plain values, since they are told and kept and never
 * thrown.
 *
 * Invariant: errors are recognised by their name, never by their class, so that two copies of the package understand each other.
 */
import type { ValidationSource, ValidationStop } from '../../engine/trace/events.ts';
import type { RetryFeedback } from './feedback.ts';

/** The arguments of a call are not what the tool takes. A tool may throw it too: the model is asked to correct the call, and the tool is not repeated. */
export class ToolValidationError extends Error {
  /** Name of the error; recognize the error by it, not by its class. */
  override readonly name = 'ToolValidationError';
  /** Code of the error in results and records. */
  readonly code = 'INVALID_ARGUMENTS';
  /** The same call will fail again. */
  readonly retryable = false;
}

/** What a model answered is not what was asked for. */
export class StructuredOutputError extends Error {
  /** Name of the error; recognize the error by it, not by its class. */
  override readonly name = 'StructuredOutputError';
  /** Code of the error in results and records. */
  readonly code = 'INVALID_STRUCTURED_OUTPUT';
  /** The same output will fail again. */
  readonly retryable = false;
}

/** The attempts are used up: what was tried, and why each was turned down (docs/specification.md#s2-flow). */
export interface RetryExhaustedError {
  /** Name of the error; recognize the error by it, not by its class. */
  readonly name: 'RetryExhaustedError';
  /** Code of the error in results and records. */
  readonly code: 'RETRY_EXHAUSTED';
  /** The tool, the number of attempts and the last error in one sentence; redacted. */
  readonly message: string;
  /** What failed: the arguments of a tool call, or a structured output. */
  readonly source: ValidationSource;
  /** `null` for a structured output. */
  readonly toolName: string | null;
  /** Attempts made. */
  readonly attempts: number;
  /** Attempts that the policy allowed, the first included. */
  readonly maxAttempts: number;
  /**
   * Why there is no further attempt: `attempts` and `time_budget` are limits of the policy, `not_retryable` is an error that it does not list,
   * `reducer_error` a reducer that failed.
   */
  readonly stoppedBy: ValidationStop;
  /** Oldest first; the latest 50. */
  readonly history: readonly RetryFeedback[];
}

/** A reducer threw: which, at what, and what it said (docs/specification.md#s2-flow). */
export interface ReducerError {
  /** Name of the error; recognize the error by it, not by its class. */
  readonly name: 'ReducerError';
  /** Code of the error in results and records. */
  readonly code: 'REDUCER_FAILED';
  /** The slice whose reducer it was. */
  readonly reducer: string;
  /** Message of what the reducer threw; redacted. */
  readonly message: string;
  /** What the reducer threw, by name. */
  readonly errorType: string;
  /** The event it was given. */
  readonly payload: unknown;
}
