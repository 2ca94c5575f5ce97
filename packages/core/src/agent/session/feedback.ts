/** Owns the feedback to a model about a failed validation (docs/specification.md#s2-feedback). */
import type { ValidationSource } from '../../engine/trace/events.ts';

/** Feedback to a model about a failed validation (docs/specification.md#s2-feedback). */
export interface RetryFeedback {
  /** What failed: the arguments of a tool call, or a structured output. */
  readonly source: ValidationSource;
  /** Name of the tool; `null` for a structured output. */
  readonly toolName: string | null;
  /** Number of the failed attempt, from 1. */
  readonly attempt: number;
  /** Attempts that the policy allows, the first included. */
  readonly maxAttempts: number;
  /** `ToolValidationError`, `StructuredOutputError` or the name of a custom error. */
  readonly errorType: string;
  /** Description of the problem; redacted. */
  readonly message: string;
  /** When the next attempt may begin. ISO 8601, UTC. */
  readonly retryScheduledAt: string;
  /** Seconds from the failure to the next attempt; 0 without a delay, and when there is no next attempt. */
  readonly nextDelaySeconds: number;
}
