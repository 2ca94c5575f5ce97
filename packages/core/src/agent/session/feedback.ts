/** Owns what a model is told about an attempt that failed its validation (docs/specification.md#s2-feedback). */
import type { ValidationSource } from '../../engine/trace/events.ts';

export interface RetryFeedback {
  readonly source: ValidationSource;
  /** `null` for a structured output. */
  readonly toolName: string | null;
  /** The attempt that failed, from 1. */
  readonly attempt: number;
  readonly maxAttempts: number;
  /** `ToolValidationError`, `StructuredOutputError` or the name of your own. */
  readonly errorType: string;
  readonly message: string;
  /** When the next attempt may be made. ISO 8601, UTC. */
  readonly retryScheduledAt: string;
  readonly nextDelaySeconds: number;
}
