/** Owns the trace events of a failure and of the decision about it. Built like those in `events.ts`. */
import type { Refusal } from '../admission/types.ts';
import type { CircuitState } from '../breaker/types.ts';
import { recordDecision, recordInputs } from '../recover/decision-record.ts';
import type { Decision, DecisionAction, DecisionInputs } from '../recover/decision.ts';
import type { CallRefused, RecoveryDecided, RetryScheduled, ToolError } from '../trace/events.ts';
import type { Unstamped } from './events.ts';
import type { CallState, PendingFailure } from './state.ts';

/** The `ToolError` of docs/specification.md#s0-8-2: one per failed attempt or rejected call. A refusal has an event of its own. */
export function toolError(
  state: CallState,
  { fault, attempt, circuit, failedAt }: PendingFailure,
  decision: DecisionAction,
  message?: string,
): ToolError {
  const target = attempt?.target ?? state.target;
  const { classification, category, rule, ambiguous, status, retryAfterMs } = fault.classification;
  const event: Unstamped<ToolError> = {
    event_type: 'ToolError',
    turn_id: '',
    seq: 0,
    timestamp: '',
    elapsed_ms: 0,
    tool_id: target.toolName,
    error: fault.text,
    classification,
    circuit_breaker_state: circuit,
    retry_count: Math.max((attempt?.hedge ? target.attempts - 1 : (attempt?.toolAttempt ?? target.attempts)) - 1, 0),
    decision,
    call_id: state.spec.callKey,
    attempt: attempt?.number ?? 0,
    code: fault.code,
    category,
    rule,
    ambiguous,
    duration_ms: attempt ? failedAt - attempt.startedAt : 0,
  };
  if (status !== undefined) event.status = status;
  if (retryAfterMs !== undefined) event.retry_after_ms = retryAfterMs;
  if (message !== undefined) event.message = message;
  return event;
}

export function callRefused(
  callKey: string,
  toolName: string,
  { code, retryAfterMs, source, partition }: Refusal,
  circuit: CircuitState,
  heldMs: number | undefined,
  waitedMs: number | undefined,
): CallRefused {
  const event: Unstamped<CallRefused> = {
    event_type: 'CallRefused',
    turn_id: '',
    seq: 0,
    timestamp: '',
    elapsed_ms: 0,
    call_id: callKey,
    tool_id: toolName,
    code,
    circuit_breaker_state: circuit,
  };
  if (retryAfterMs !== undefined) event.retry_after_ms = retryAfterMs;
  if (source !== undefined) event.source = source;
  if (partition !== undefined) event.partition = partition;
  if (heldMs !== undefined) event.held_ms = heldMs;
  if (waitedMs !== undefined) event.wait_ms = waitedMs;
  return event;
}

export function recoveryDecided(
  { spec, target }: CallState,
  { attempt }: PendingFailure,
  inputs: DecisionInputs,
  decision: Decision,
  decidedBy: RecoveryDecided['decided_by'],
): RecoveryDecided {
  const event: Unstamped<RecoveryDecided> = {
    event_type: 'RecoveryDecided',
    turn_id: '',
    seq: 0,
    timestamp: '',
    elapsed_ms: 0,
    call_id: spec.callKey,
    tool_id: target.toolName,
    attempt: attempt?.number ?? 0,
    inputs: recordInputs(inputs),
    decision: recordDecision(decision),
    decided_by: decidedBy,
    message: decision.reason,
  };
  return event;
}

export function retryScheduled(callKey: string, toolName: string, attempt: number, delayMs: number): RetryScheduled {
  const event: Unstamped<RetryScheduled> = {
    event_type: 'RetryScheduled',
    turn_id: '',
    seq: 0,
    timestamp: '',
    elapsed_ms: 0,
    call_id: callKey,
    tool_id: toolName,
    attempt,
    delay_ms: delayMs,
  };
  return event;
}
