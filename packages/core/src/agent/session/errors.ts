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
  override readonly name = 'ToolValidationError';
  readonly code = 'INVALID_ARGUMENTS';
  /** The same call will fail again. */
  readonly retryable = false;
}

/** What a model answered is not what was asked for. */
export class StructuredOutputError extends Error {
  override readonly name = 'StructuredOutputError';
  readonly code = 'INVALID_STRUCTURED_OUTPUT';
  readonly retryable = false;
}

/** The attempts are used up: what was tried, and why each was turned down (docs/specification.md#s2-flow). */
export interface RetryExhaustedError {
  readonly name: 'RetryExhaustedError';
  readonly code: 'RETRY_EXHAUSTED';
  readonly message: string;
  readonly source: ValidationSource;
  /** `null` for a structured output. */
  readonly toolName: string | null;
  readonly attempts: number;
  readonly maxAttempts: number;
  readonly stoppedBy: ValidationStop;
  /** Oldest first; the latest 50. */
  readonly history: readonly RetryFeedback[];
}

/** A reducer threw: which, at what, and what it said (docs/specification.md#s2-flow). */
export interface ReducerError {
  readonly name: 'ReducerError';
  readonly code: 'REDUCER_FAILED';
  /** The slice whose reducer it was. */
  readonly reducer: string;
  readonly message: string;
  /** What the reducer threw, by name. */
  readonly errorType: string;
  /** The event it was given. */
  readonly payload: unknown;
}
