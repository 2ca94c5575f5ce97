/**
 * Owns `Fault`: a failure in flight, as a value. Does not own what is done about it (`../recover`) or how it is reported to the caller (`result.ts`).
 *
 * Invariants
 * 1. A fault is built once, where the failure is seen, and never wrapped: `cause` is the live error with its stack (docs/specification.md#s3).
 * 2. `message` is redacted.
 */
import { truncate } from '../plain/truncate.ts';
import type { Refusal } from '../admission/types.ts';
import type { Classification, ErrorCategory } from '../classify/classification.ts';
import type { CompiledRule } from '../classify/rules.ts';
import { classify } from '../classify/classify.ts';
import { describeError } from '../classify/describe-error.ts';
import type { Redactor } from '../plain/redact.ts';
import { formatDuration } from '../plain/duration.ts';
import { suggest } from '../plain/suggest.ts';

/** How the call or attempt ended: decides `status`, and whether the circuit breaker counts it. */
export type FaultKind = 'error' | 'timeout' | 'refused' | 'cancelled' | 'rejected';

/** A failure in flight, as a value: classified and redacted. */
export interface Fault {
  /** `rejected`: the request was turned down before any tool ran (unknown tool, bad arguments, lost dependency). */
  readonly kind: FaultKind;
  /** Stable and upper case: `TOOL_TIMEOUT`, `RATE_LIMITED`, `CIRCUIT_OPEN` … */
  readonly code: string;
  /** Technical, redacted, as in the result. */
  readonly message: string;
  /** The error's own message, redacted, as in the trace. */
  readonly text: string;
  /** What the failure means for retrying, and the rule that decided it. */
  readonly classification: Classification;
  /** The live error. Absent where nothing was thrown, as with refusals. */
  readonly cause?: unknown;
  /** The gate's refusal; only with the kind `refused`. */
  readonly refusal?: Refusal;
}

const codeOfCategory: Readonly<Record<ErrorCategory, string>> = {
  network: 'NETWORK_ERROR',
  timeout: 'TIMEOUT',
  rate_limit: 'RATE_LIMITED',
  unavailable: 'SERVICE_UNAVAILABLE',
  auth: 'AUTHENTICATION_FAILED',
  permission: 'PERMISSION_DENIED',
  not_found: 'NOT_FOUND',
  invalid_input: 'INVALID_INPUT',
  conflict: 'CONFLICT',
  unsupported: 'UNSUPPORTED_OPERATION',
  payload_too_large: 'PAYLOAD_TOO_LARGE',
  quota_exhausted: 'QUOTA_EXHAUSTED',
  cancelled: 'CANCELLED',
  contract: 'INVALID_RESPONSE',
  bug: 'TOOL_BUG',
  resource: 'RESOURCE_EXHAUSTED',
  unknown: 'TOOL_ERROR',
};

export interface FaultContext {
  readonly nowEpochMs: number;
  readonly rules: readonly CompiledRule[];
  readonly redact: Redactor;
  readonly callerAborted: boolean;
}

/** Any value that a tool threw. The message is `Tool error: <message>` (docs/specification.md#s3). */
export function faultFromError(error: unknown, { nowEpochMs, rules, redact, callerAborted }: FaultContext): Fault {
  const classification = classify(error, { nowEpochMs, overrides: rules, callerAborted });
  const { name, message } = describeError(error);
  const text = redact(message);
  const cancelled = classification.classification === 'neutral';
  // The same words as for arguments that were rejected before the tool ran.
  if (name === 'ToolValidationError')
    return { kind: 'error', code: 'INVALID_ARGUMENTS', message: text, text, classification, cause: error };
  return {
    kind: cancelled ? 'cancelled' : 'error',
    code: codeOfCategory[classification.category],
    message: `Tool error: ${text}`,
    text,
    classification,
    cause: error,
  };
}

function classifiedFault(
  classification: Classification['classification'],
  category: ErrorCategory,
  rule: string,
  more?: Partial<Classification>,
): Classification {
  return { classification, category, rule, ambiguous: false, ...more };
}

/** The attempt did not answer in time (docs/specification.md#s0-4-1). */
export const timeoutFault = (timeoutMs: number): Fault => attemptTimeout(`Tool timeout after ${formatDuration(timeoutMs)}`, 'tool timeout');

/** The attempt reported no progress for too long. */
export const idleTimeoutFault = (idleTimeoutMs: number): Fault =>
  attemptTimeout(`Tool timeout: no progress for ${formatDuration(idleTimeoutMs)}`, 'idle timeout');

/** What the attempt has done so far is not known. */
function attemptTimeout(text: string, rule: string): Fault {
  const classification = classifiedFault('transient', 'timeout', rule, { ambiguous: true });
  return { kind: 'timeout', code: 'TOOL_TIMEOUT', message: text, text, classification };
}

/** The turn's time was up before the call was answered (docs/specification.md#s0-4-2). */
export function deadlineFault(timeoutMs: number | null, stage: 'waiting' | 'running' | 'between_attempts'): Fault {
  const when = {
    waiting: 'before the tool was run',
    running: 'while the tool was running',
    between_attempts: 'before the tool was run again',
  }[stage];
  const text = `Turn deadline${timeoutMs === null ? '' : ` of ${formatDuration(timeoutMs)}`} reached ${when}`;
  return {
    kind: 'timeout',
    code: 'TURN_DEADLINE',
    message: text,
    text,
    classification: classifiedFault('transient', 'timeout', 'turn deadline', { ambiguous: stage === 'running' }),
  };
}

export function cancelledFault(reason: unknown, redact: Redactor): Fault {
  const described = reason === undefined ? '' : `: ${redact(describeError(reason).message)}`;
  const text = `Cancelled by the caller${described}`;
  const fault: Fault = {
    kind: 'cancelled',
    code: 'CANCELLED',
    message: text,
    text,
    classification: classifiedFault('neutral', 'cancelled', 'cancelled by the caller'),
  };
  return reason === undefined ? fault : { ...fault, cause: reason };
}

/** The caller's own time limit (`AbortSignal.timeout`). It shows nothing about the tool. */
export function callerTimeoutFault(cause: unknown): Fault {
  const text = "The caller's time limit was reached";
  return {
    kind: 'timeout',
    code: 'TIMEOUT',
    message: text,
    text,
    classification: classifiedFault('transient', 'timeout', 'name:TimeoutError'),
    cause,
  };
}

const refusalTexts: Readonly<Record<Refusal['code'], string>> = {
  CIRCUIT_OPEN: 'Circuit open',
  RATE_LIMITED: 'Rate limit reached',
  BULKHEAD_FULL: 'Too many calls at once',
  RETRY_BUDGET_EXHAUSTED: 'Retry budget exhausted',
};

const refusalCategories: Readonly<Record<Refusal['code'], ErrorCategory>> = {
  CIRCUIT_OPEN: 'unavailable',
  RATE_LIMITED: 'rate_limit',
  BULKHEAD_FULL: 'resource',
  RETRY_BUDGET_EXHAUSTED: 'resource',
};

function refusalText(toolName: string, { code, source, retryAfterMs }: Refusal): string {
  if (source === 'server_hint')
    return `Held by the server's Retry-After${retryAfterMs === undefined ? '' : ` for another ${formatDuration(retryAfterMs)}`}`;
  return `${refusalTexts[code]} for ${toolName}${retryAfterMs === undefined ? '' : `, available again in ${formatDuration(retryAfterMs)}`}`;
}

/** The gate refused the call: neutral, since the tool was never called. */
export function refusalFault(toolName: string, refusal: Refusal): Fault {
  const text = refusalText(toolName, refusal);
  const hint = refusal.retryAfterMs === undefined ? {} : { retryAfterMs: refusal.retryAfterMs };
  return {
    kind: 'refused',
    code: refusal.code,
    message: text,
    text,
    classification: classifiedFault('neutral', refusalCategories[refusal.code], `refused:${refusal.source ?? refusal.code}`, hint),
    refusal,
  };
}

function rejectedFault(code: string, text: string, category: ErrorCategory, cause?: unknown): Fault {
  const fault: Fault = {
    kind: 'rejected',
    code,
    message: text,
    text,
    classification: classifiedFault('permanent', category, code.toLowerCase().replaceAll('_', ' ')),
  };
  return cause === undefined ? fault : { ...fault, cause };
}

/** `Unknown tool: nonexistent` (docs/specification.md#s3), with a did-you-mean. */
export function unknownToolFault(toolName: string, knownTools: readonly string[]): Fault {
  const nearest = suggest(toolName, knownTools);
  return rejectedFault('UNKNOWN_TOOL', `Unknown tool: ${shortName(toolName)}${nearest ? `. Did you mean '${nearest}'?` : ''}`, 'not_found');
}

export function disabledToolFault(toolName: string): Fault {
  return rejectedFault('TOOL_DISABLED', `Tool disabled: ${toolName}`, 'unsupported');
}

/** `problems` are complete sentences, such as docs/specification.md#s3 `Required parameter 'symbol' missing`. */
export function invalidArgumentsFault(problems: readonly string[]): Fault {
  return rejectedFault('INVALID_ARGUMENTS', problems.join('; '), 'invalid_input');
}

/** The tool answered with an invalid output: permanent (docs/specification.md#s0-1-2). Its side effect has happened. */
export function invalidOutputFault(problems: readonly string[]): Fault {
  const text = `Output does not match its schema: ${problems.join('; ')}`;
  return {
    kind: 'error',
    code: 'INVALID_OUTPUT',
    message: `Tool error: ${text}`,
    text,
    classification: classifiedFault('permanent', 'contract', 'output schema', { ambiguous: true }),
  };
}

/** A call that was not run because of what it depends on (docs/specification.md#s1-5-1). `causedBy` runs from the direct cause to the first. */
export function dependencyFault(causedBy: readonly string[]): Fault {
  const text = `Not run: ${causedBy.map(shortName).join(' ← ')} failed`;
  return {
    kind: 'rejected',
    code: 'DEPENDENCY_FAILED',
    message: text,
    text,
    classification: classifiedFault('neutral', 'unavailable', 'dependency failed'),
  };
}

/** A plan, or a part of the engine, that cannot run at all. */
export function internalFault(code: string, text: string, cause?: unknown): Fault {
  return rejectedFault(code, text, code === 'INTERNAL_ERROR' ? 'bug' : 'invalid_input', cause);
}

/** Names may come from models, and may be of any length. */
function shortName(name: string): string {
  return truncate(name, 100);
}
