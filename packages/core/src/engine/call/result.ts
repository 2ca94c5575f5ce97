/**
 * Owns `ToolResult`: the result of every call (docs/specification.md#s4), and how a fault is reported to the caller and the model.
 *
 * Invariant: a result is complete and plain; only `error.cause` is live.
 */
import type { ErrorCategory, ErrorClass } from '../classify/classification.ts';
import type { Mutable } from '../plain/mutable.ts';
import type { StoppedBy } from '../recover/decision.ts';
import type { Fault } from './fault.ts';
import type { Alteration } from './output.ts';
import type { StartedTool } from './messages.ts';
import { adviceFor, userMessageFor } from './messages.ts';

/** Why a call did not succeed, for the model, the user and the operator. */
export interface ToolFailure {
  /** Stable and upper case, see the error reference. */
  readonly code: string;
  /** Technical, redacted; kept for debugging. */
  readonly message: string;
  /** Friendly, safe to show. */
  readonly userMessage: string;
  /** The same call may succeed later. `CIRCUIT_OPEN` is not retryable (docs/specification.md#s4): try again after `retryAfterMs`, not at once. */
  readonly retryable: boolean;
  /** `transient`: the dependency failed; `permanent`: the request was wrong; `neutral`: neither. */
  readonly classification: ErrorClass;
  /** Kind of failure, such as `timeout` or `rate_limit`. */
  readonly category: ErrorCategory;
  /** The rule that classified the error. */
  readonly rule: string;
  /** Do not retry before this many milliseconds from the end of the call. */
  readonly retryAfterMs?: number;
  /** The side effect may have happened: check before calling again. */
  readonly ambiguous?: boolean;
  /** What ended the attempts. */
  readonly stoppedBy?: StoppedBy;
  /** What to do next, in one line for the model. */
  readonly advice?: string;
  /** For a call that was not run: the failed calls, from the direct cause to the first. */
  readonly causedBy?: readonly string[];
  /** The live error with its stack, when a tool threw one. */
  readonly cause?: unknown;
}

/** What every result has, whether the call succeeded or not. */
export interface ResultBase {
  /** Name of the tool that the call requested. */
  readonly toolName: string;
  /** Id of the call as given; `call-1`, `call-2` … by position when none was given. */
  readonly callId: string;
  /** Milliseconds from submission to the result, waiting included. */
  readonly executionTime: number;
  /** Number of attempts, those of alternatives included. 0 when no tool was run. */
  readonly attempts: number;
  /** The tool that answered, or that was tried last. */
  readonly servedBy: string;
  /** An alternative or a static fallback supplied the output. */
  readonly fallbackUsed?: boolean;
}

/** The result of a call that a tool answered. */
export interface SuccessfulResult<Output = unknown> extends ResultBase {
  /** Discriminates the union of results. */
  readonly status: 'success';
  /** The output, as validated by the tool's output schema. */
  readonly output: Output;
  /** The output is the partial output that the tool had reported when its time was up. */
  readonly partial?: boolean;
  /** The output is not the tool's own value: it was too large, or cannot be written as JSON (BigInt, cycles, functions). */
  readonly altered?: Alteration;
  /** Never set: lets `error` be read from any result. */
  readonly error?: undefined;
}

/** The result of a call that failed, timed out, was cancelled or was not run. */
export interface FailedResult<Output = unknown> extends ResultBase {
  /** `timeout`: a time limit ended the call, and no fallback supplied an output; `error`: everything else. */
  readonly status: 'error' | 'timeout';
  /** The static fallback, when it is used (`fallbackUsed`). */
  readonly output?: Output;
  /** Why the call failed, for the model, the user and the operator. */
  readonly error: ToolFailure;
  /** Never set: lets `partial` be read from any result. */
  readonly partial?: undefined;
  /** The failed calls because of which the call was not run. */
  readonly skipped?: boolean;
}

/** The result of every call; never null, never thrown. */
export type ToolResult<Output = unknown> = SuccessfulResult<Output> | FailedResult<Output>;

export interface FailureDetails {
  readonly toolName: string;
  readonly stoppedBy?: StoppedBy | undefined;
  /** When the gate would admit the call again. */
  readonly gateRetryAfterMs?: number | undefined;
  readonly alternatives?: readonly string[];
  /** The tools that may have had their effect. */
  readonly started?: readonly StartedTool[];
  /** How long the call waited for tools to recover. */
  readonly waitedMs?: number;
  /** Attempts of the requested tool. */
  readonly attempts?: number;
  readonly causedBy?: readonly string[];
}

/** Converts a fault to the `error` of a result. */
export function failureOf(fault: Fault, details: FailureDetails): ToolFailure {
  const { classification, category, rule } = fault.classification;
  const { started = [] } = details;
  const retryAfterMs = latest(fault.classification.retryAfterMs, details.gateRetryAfterMs);
  // An earlier attempt may have had the effect, too.
  const ambiguous = fault.classification.ambiguous || started.length > 0;
  const verifyFirst = started.some(({ effect }) => effect === 'unsafe');
  // Assigned one by one: at a deadline thousands of these are made at once, and spreads cost several times as much.
  const failure: Mutable<ToolFailure> = {
    code: fault.code,
    message: fault.message,
    userMessage: userMessageFor(fault.code, details.toolName),
    retryable: classification === 'transient' && !verifyFirst,
    classification,
    category,
    rule,
    advice: adviceFor(fault, retryAfterMs, details),
  };
  if (retryAfterMs !== undefined) failure.retryAfterMs = retryAfterMs;
  if (ambiguous) failure.ambiguous = ambiguous;
  if (details.stoppedBy) failure.stoppedBy = details.stoppedBy;
  if (details.causedBy) failure.causedBy = details.causedBy;
  if ('cause' in fault) failure.cause = fault.cause;
  return failure;
}

function latest(hint: number | undefined, comeBackMs: number | undefined): number | undefined {
  return hint === undefined ? comeBackMs : Math.max(hint, comeBackMs ?? 0);
}
