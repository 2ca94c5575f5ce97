/** Owns what a model is told about an attempt that failed its validation (docs/specification.md#s2-feedback). */
import type { ValidationSource } from '../../engine/trace/events.ts';

/** What a model is shown about a failed validation (docs/specification.md#s2-feedback). */
export interface RetryFeedback {
  /** What failed: the arguments of a tool call, or a structured output. */
  readonly source: ValidationSource;
  /** `null` for a structured output. */
  readonly toolName: string | null;
  /** The attempt that failed, from 1. */
  readonly attempt: number;
  /** Attempts that the policy allows, the first included. */
  readonly maxAttempts: number;
  /** `ToolValidationError`, `StructuredOutputError` or the name of your own. */
  readonly errorType: string;
  /** What was wrong, as text; redacted. */
  readonly message: string;
  /** When the next attempt may be made. ISO 8601, UTC. */
  readonly retryScheduledAt: string;
  /** Seconds from the failure to the next attempt; 0 without a delay, and when there is no next attempt. */
  readonly nextDelaySeconds: number;
}
