/** Owns the results of calls that are refused before a tool runs. */
import { userMessageFor } from '../../engine/call/messages.ts';
import type { ToolFailure, ToolResult } from '../../engine/call/result.ts';

/** Why a call is not run. */
export interface Refusal {
  /** Error code of the result; only `TURN_DEADLINE` is retryable. */
  readonly code:
    | 'INVALID_CALL'
    | 'INVALID_ARGUMENTS'
    | 'ANSWER_TRUNCATED'
    | 'REPEATED_FAILURE'
    | 'RUN_STOPPED'
    | 'DEPENDENCY_FAILED'
    | 'TURN_DEADLINE'
    | 'UNKNOWN_TOOL'
    | 'CANCELLED';
  readonly message: string;
  readonly advice: string;
  readonly causedBy?: readonly string[];
  /** False where the call may be run later as it is. */
  readonly isFinal?: boolean;
}

export function refusedResult(toolName: string, callId: string, { code, message, advice, causedBy }: Refusal): ToolResult {
  const isTransient = code === 'TURN_DEADLINE';
  const neutral = code === 'DEPENDENCY_FAILED' || code === 'CANCELLED' || code === 'RUN_STOPPED';
  const error: ToolFailure = {
    code,
    message,
    userMessage: userMessageFor(code, toolName, 'The {tool} tool was not run.'),
    retryable: isTransient,
    classification: isTransient ? 'transient' : neutral ? 'neutral' : 'permanent',
    category: isTransient ? 'timeout' : code === 'CANCELLED' ? 'cancelled' : neutral ? 'unavailable' : 'invalid_input',
    rule: code.toLowerCase().replaceAll('_', ' '),
    advice,
    ...(causedBy ? { causedBy } : {}),
  };
  const result: ToolResult = {
    toolName,
    callId,
    status: isTransient ? 'timeout' : 'error',
    error,
    executionTime: 0,
    attempts: 0,
    servedBy: toolName,
    ...(code === 'DEPENDENCY_FAILED' ? { skipped: true } : {}),
  };
  return result;
}
