/** Owns what results are called in data: the snake_case words of a file, nothing live. The command line prints them, the gateway answers them. */
import type { FailedResult, SuccessfulResult, ToolFailure, ToolResult, TurnReport } from '@holdfast/core';

/** Why a call did not succeed; see `ToolFailure`. */
export interface FailureWords {
  readonly code: string;
  readonly message: string;
  readonly user_message: string;
  readonly retryable: boolean;
  readonly classification: ToolFailure['classification'];
  readonly category: ToolFailure['category'];
  readonly rule: string;
  readonly retry_after_ms?: number;
  readonly ambiguous?: boolean;
  readonly stopped_by?: NonNullable<ToolFailure['stoppedBy']>;
  readonly advice?: string;
  readonly caused_by?: readonly string[];
}

/** What a call ended in; see `ToolResult`. */
export interface ResultWords {
  readonly call_id: string;
  readonly tool_id: string;
  readonly status: ToolResult['status'];
  /** As the tool gave it. */
  readonly output?: unknown;
  readonly error?: FailureWords;
  /** Whole milliseconds. */
  readonly execution_time_ms: number;
  readonly attempts: number;
  readonly served_by: string;
  readonly fallback_used?: boolean;
  readonly partial?: boolean;
  readonly altered?: NonNullable<SuccessfulResult['altered']>;
  readonly skipped?: NonNullable<FailedResult['skipped']>;
}

/** What a turn came to; see `TurnReport`. */
export interface ReportWords {
  readonly turn_id: string;
  readonly outcome: TurnReport['outcome'];
  readonly summary: string;
  readonly escalated: boolean;
  /** Whole milliseconds. */
  readonly execution_time_ms: number;
  readonly critical_path: readonly string[];
  readonly results: readonly ResultWords[];
}

/** The report of a turn as data. */
export function fromReport({ turnId, outcome, summary, escalated, executionTime, criticalPath, results }: TurnReport): ReportWords {
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

/** The result of a call as data. The live cause of an error stays behind. */
export function fromResult(result: ToolResult): ResultWords {
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

function fromFailure({ cause: _live, ...told }: ToolFailure): FailureWords {
  const kept = Object.entries(told).filter(([, value]) => value !== undefined);
  return Object.fromEntries(kept.map(([key, value]) => [snake(key), value])) as unknown as FailureWords;
}

const snake = (key: string): string => key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
