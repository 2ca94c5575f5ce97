/**
 * Owns the errors of runners: an `Error` with a stable `code` and evidence (`status`, `headers`, `exitCode` …).
 * Recognised by `code`, never by class.
 */

import { withoutUndefined } from '@holdfast/core/internal/plain';

/** Codes of failures in runners. */
export type RunnerErrorCode =
  | 'ABORTED'
  | 'ADDRESS_FORBIDDEN'
  | 'HTTP_STATUS'
  | 'INVALID_ARGUMENT'
  | 'INVALID_RESPONSE'
  | 'LOGIN_REQUIRED'
  | 'MCP_CALL_LOST'
  | 'MCP_MESSAGE_TOO_LARGE'
  | 'MCP_SERVER_DOWN'
  | 'MCP_TOOL_ERROR'
  | 'OPENAPI_DOCUMENT'
  | 'OUTPUT_NOT_CLONEABLE'
  | 'OUTPUT_TOO_LARGE'
  | 'PROCESS_EXITED'
  | 'PROCESS_NOT_STARTED'
  | 'REDIRECT_FORBIDDEN'
  | 'RUNNER_CLOSED'
  | 'SECRET_MISSING'
  | 'TOO_MANY_REDIRECTS'
  | 'WORKER_EXITED'
  | 'WORKER_OUT_OF_MEMORY'
  | 'WORKER_START_FAILED'
  | 'WORKER_START_TIMEOUT';

/** A retry does not help: the configuration or the program must change. */
const notRetryable: ReadonlySet<RunnerErrorCode> = new Set([
  'ADDRESS_FORBIDDEN',
  'INVALID_ARGUMENT',
  'LOGIN_REQUIRED',
  'OPENAPI_DOCUMENT',
  'OUTPUT_NOT_CLONEABLE',
  'REDIRECT_FORBIDDEN',
  'RUNNER_CLOSED',
  'SECRET_MISSING',
  'WORKER_START_FAILED',
]);

/**
 * An error with its evidence. Errors that a retry cannot fix have `retryable: false`. `ambiguous` is given where the runner knows whether the tool may have run;
 * otherwise it is assumed that it may have, unless the code shows that it has not.
 */
export function runnerError(code: RunnerErrorCode, message: string, evidence: Readonly<Record<string, unknown>> = {}): Error {
  const { cause, ...fields } = evidence;
  const error = cause === undefined ? new Error(message) : new Error(message, { cause });
  error.name = 'RunnerError';
  return Object.assign(error, { code, ...(notRetryable.has(code) ? { retryable: false } : {}), ...withoutUndefined(fields) });
}

/** The `code` of a thrown value, if it has one. */
export function codeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null ? (error as { readonly code?: unknown }).code : undefined;
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
