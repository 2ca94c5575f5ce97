/** Owns results as JSON data in snake_case. The command line prints them, the gateway returns them. */
import { arrayRule, checkShape, snakeCase } from '@holdfast/core/internal/plain';
import type { FailedResult, SuccessfulResult, ToolFailure, ToolResult, TurnReport } from '@holdfast/core';

/** Why a call did not succeed; see `ToolFailure`. */
export interface FailureWords {
  /** Stable and upper case, see the error reference. */
  readonly code: string;
  /** Technical message, redacted. */
  readonly message: string;
  /** Friendly message that is safe to show to users. */
  readonly user_message: string;
  /** Whether the same call may succeed later. */
  readonly retryable: boolean;
  /** What the failure means for retrying. */
  readonly classification: ToolFailure['classification'];
  /** Kind of failure, such as a timeout or a rate limit. */
  readonly category: ToolFailure['category'];
  /** The rule that classified the error. */
  readonly rule: string;
  /** Not before this many milliseconds from the end of the call. Absent when there is no such limit. */
  readonly retry_after_ms?: number;
  /** `true` if the side effect may have happened. Absent otherwise. */
  readonly ambiguous?: boolean;
  /** What ended the attempts. */
  readonly stopped_by?: NonNullable<ToolFailure['stoppedBy']>;
  /** What to do next, one line for the model. */
  readonly advice?: string;
  /** For a call that was not run: ids of the failed calls, from the direct cause to the first. */
  readonly caused_by?: readonly string[];
}

/** The result of a call; see `ToolResult`. */
export interface ResultWords {
  /** Id of the call, unique within its turn. */
  readonly call_id: string;
  /** Name of the tool that was called. */
  readonly tool_id: string;
  /** How the call ended: `success`, `error` or `timeout`. */
  readonly status: ToolResult['status'];
  /** The output of the tool. */
  readonly output?: unknown;
  /** Why the call did not succeed. Absent for `success`. */
  readonly error?: FailureWords;
  /** Whole milliseconds. */
  readonly execution_time_ms: number;
  /** All attempts, including those of alternatives. 0 if no tool was run. */
  readonly attempts: number;
  /** The tool that produced the result, or was tried last. */
  readonly served_by: string;
  /** `true` if an alternative or a static fallback served the call. */
  readonly fallback_used?: boolean;
  /** `true` if `output` is the partial output that the tool had reported before its time was up. */
  readonly partial?: boolean;
  /** How `output` differs from the tool's own value, which was too large or not JSON. Absent when it does not. */
  readonly altered?: NonNullable<SuccessfulResult['altered']>;
  /** `true` if the call was not run because a call that it depends on failed. */
  readonly skipped?: NonNullable<FailedResult['skipped']>;
}

/** The report of a turn; see `TurnReport`. */
export interface ReportWords {
  /** Id of the turn. */
  readonly turn_id: string;
  /** How the turn ended. */
  readonly outcome: TurnReport['outcome'];
  /** A sentence such as `Completed flight search, but hotel search timed out`. */
  readonly summary: string;
  /** Whether a `critical` call could not run, so that the turn has failed its purpose. */
  readonly escalated: boolean;
  /** Whole milliseconds. */
  readonly execution_time_ms: number;
  /** Call ids of the chain that took longest, first to last. */
  readonly critical_path: readonly string[];
  /** One result for each call, in the order of the plan. */
  readonly results: readonly ResultWords[];
}

/** The report of a turn as data. */
export function fromReport(report: TurnReport): ReportWords {
  checkShape({ turnId: 'string', criticalPath: arrayRule, results: arrayRule }, report, 'fromReport: report');
  const { turnId, outcome, summary, escalated, executionTime, criticalPath, results } = report;
  return {
    turn_id: turnId,
    outcome,
    summary,
    escalated,
    execution_time_ms: Math.round(executionTime),
    critical_path: criticalPath,
    results: results.map(fromResult),
  };
}

/** The result of a call as data, without the `cause` of an error. */
export function fromResult(result: ToolResult): ResultWords {
  checkShape({ callId: 'string', toolName: 'string', status: ['success', 'error', 'timeout'] }, result, 'fromResult: result');
  const { callId, toolName, status, output, error, executionTime, attempts, servedBy, fallbackUsed, partial } = result;
  const altered = result.status === 'success' ? result.altered : undefined;
  const skipped = result.status === 'success' ? undefined : result.skipped;
  return {
    call_id: callId,
    tool_id: toolName,
    status,
    ...(output === undefined ? {} : { output }),
    ...(error === undefined ? {} : { error: fromFailure(error) }),
    execution_time_ms: Math.round(executionTime),
    attempts,
    served_by: servedBy,
    ...(fallbackUsed === undefined ? {} : { fallback_used: fallbackUsed }),
    ...(partial === undefined ? {} : { partial }),
    ...(altered === undefined ? {} : { altered }),
    ...(skipped === undefined ? {} : { skipped }),
  };
}

function fromFailure({ cause: _live, ...failure }: ToolFailure): FailureWords {
  const kept = Object.entries(failure).filter(([, value]) => value !== undefined);
  return Object.fromEntries(kept.map(([key, value]) => [snakeCase(key), value])) as unknown as FailureWords;
}
