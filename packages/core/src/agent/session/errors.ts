/**
 * Owns the errors of validation (docs/specification.md#s2-flow). The first two are thrown by validators; the others are plain values, which are reported and stored
 * but never thrown.
 *
 * Invariant: errors are recognized by their name, never by their class, so that two copies of the package work together.
 */
import type { ValidationSource, ValidationStop } from '../../engine/trace/events.ts';
import type { RetryFeedback } from './feedback.ts';

/** The arguments of a call are invalid. A tool may throw it too: the model is asked to correct the call, and the tool is not retried. */
export class ToolValidationError extends Error {
  /** Name of the error; recognize the error by it, not by its class. */
  override readonly name = 'ToolValidationError';
  /** Code of the error in results and records. */
  readonly code = 'INVALID_ARGUMENTS';
  /** The same call will fail again. */
  readonly retryable = false;
}

/** The structured output of a model is invalid. */
export class StructuredOutputError extends Error {
  /** Name of the error; recognize the error by it, not by its class. */
  override readonly name = 'StructuredOutputError';
  /** Code of the error in results and records. */
  readonly code = 'INVALID_STRUCTURED_OUTPUT';
  /** The same output will fail again. */
  readonly retryable = false;
}

/** The validation attempts are used up: the attempts, and why each failed (docs/specification.md#s2-flow). */
export interface RetryExhaustedError {
  /** Name of the error; recognize the error by it, not by its class. */
  readonly name: 'RetryExhaustedError';
  /** Code of the error in results and records. */
  readonly code: 'RETRY_EXHAUSTED';
  /** The tool, the number of attempts and the last error in one sentence; redacted. */
  readonly message: string;
  /** What failed: the arguments of a tool call, or a structured output. */
  readonly source: ValidationSource;
  /** Name of the tool; `null` for a structured output. */
  readonly toolName: string | null;
  /** Number of attempts. */
  readonly attempts: number;
  /** Attempts that the policy allowed, the first included. */
  readonly maxAttempts: number;
  /**
   * Why there is no further attempt: `attempts` and `time_budget` are limits of the policy, `not_retryable` is an error that it does not list,
   * `reducer_error` a reducer that failed.
   */
  readonly stoppedBy: ValidationStop;
  /** The latest 50 attempts, oldest first. */
  readonly history: readonly RetryFeedback[];
}

/** A reducer threw: which one, for which event, and its error (docs/specification.md#s2-flow). */
export interface ReducerError {
  /** Name of the error; recognize the error by it, not by its class. */
  readonly name: 'ReducerError';
  /** Code of the error in results and records. */
  readonly code: 'REDUCER_FAILED';
  /** Name of the slice. */
  readonly reducer: string;
  /** Message of the error that the reducer threw; redacted. */
  readonly message: string;
  /** Name of the error that the reducer threw. */
  readonly errorType: string;
  /** The event for which it threw. */
  readonly payload: unknown;
}
