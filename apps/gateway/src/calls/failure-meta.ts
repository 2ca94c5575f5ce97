/** Owns what a client and a model see of a failed call. */
import type { FailedResult, ToolFailure } from '@holdfast/core';
import type { JsonObject } from '@holdfast/mcp-wire/server';

export const errorKey = 'dev.holdfast/error';
export const callKey = 'dev.holdfast/call';

export interface FailureContext {
  readonly circuit: string | undefined;
  readonly heldMs: number | undefined;
}

export function failureMeta({ error, attempts, servedBy, toolName }: FailedResult, { circuit, heldMs }: FailureContext): JsonObject {
  const { code, category, classification, retryable, retryAfterMs, ambiguous, stoppedBy, advice } = error;
  return {
    code,
    category,
    classification,
    retryable,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(ambiguous === undefined ? {} : { ambiguous }),
    attempts,
    ...(stoppedBy === undefined ? {} : { stoppedBy }),
    ...(circuit === undefined ? {} : { circuit }),
    ...(heldMs === undefined ? {} : { heldMs }),
    ...(servedBy === toolName ? {} : { servedBy }),
    ...(advice === undefined ? {} : { advice }),
  };
}

/** Returns what happened, and what to do next. */
export function failureText({ message, advice }: ToolFailure): string {
  return advice === undefined ? message : `${message}\n${advice}`;
}
