/**
 * Owns the trace events of every call's steps. The stamp's fields are present from the start, in a fixed order: filling them in costs
 * a fraction of adding them to a finished object. Rare events are built where they happen.
 */
import type { Admission } from '../admission/types.ts';
import type { CircuitState } from '../breaker/types.ts';
import type { Mutable } from '../plain/mutable.ts';
import type { AdmissionWaiting, AttemptStarted, CallCompleted, CallStarted, Escalated, Stamp, ToolSucceeded } from '../trace/events.ts';
import type { Fault } from './fault.ts';
import type { ToolResult } from './result.ts';
import type { CallSpec, CallState, LiveAttempt } from './state.ts';

/** An event whose stamp is still to be filled in. */
export type Unstamped<Event> = Mutable<Event & Stamp>;

export function callStarted({ callKey, toolName, capturedArguments, recordedSettings }: CallSpec): CallStarted {
  const event: Unstamped<CallStarted> = {
    event_type: 'CallStarted',
    turn_id: '',
    seq: 0,
    timestamp: '',
    elapsed_ms: 0,
    call_id: callKey,
    tool_id: toolName,
  };
  if (capturedArguments !== undefined) event.arguments = capturedArguments;
  if (recordedSettings !== undefined) event.settings = recordedSettings;
  return event;
}

/** `waitedMs`: how long the call waited for recovery before it. */
export function attemptStarted(
  callKey: string,
  { target, number, permit, hedge }: LiveAttempt,
  circuit: CircuitState,
  waitedMs: number | undefined,
): AttemptStarted {
  const event: Unstamped<AttemptStarted> = {
    event_type: 'AttemptStarted',
    turn_id: '',
    seq: 0,
    timestamp: '',
    elapsed_ms: 0,
    call_id: callKey,
    tool_id: target.toolName,
    attempt: number,
    timeout_ms: target.settings.timeoutMs,
    circuit_breaker_state: circuit,
  };
  if (permit.probe) event.probe = true;
  if (hedge) event.hedge = true;
  if (waitedMs !== undefined) event.wait_ms = waitedMs;
  return event;
}

/** Admission makes the call wait at the gate. */
export type Waiting = Extract<Admission, { readonly kind: 'wait' }>;

export function admissionWaiting(
  { spec, target }: CallState,
  { wait, retryAfterMs, limit, queued }: Omit<Waiting, 'kind' | 'ticket'>,
  heldMs: number | undefined,
): AdmissionWaiting {
  const event: Unstamped<AdmissionWaiting> = {
    event_type: 'AdmissionWaiting',
    turn_id: '',
    seq: 0,
    timestamp: '',
    elapsed_ms: 0,
    call_id: spec.callKey,
    tool_id: target.toolName,
    wait: wait ?? 'concurrency',
  };
  if (retryAfterMs !== undefined) event.delay_ms = retryAfterMs;
  if (limit !== undefined) event.limit = limit;
  if (queued !== undefined) event.queued = queued;
  if (heldMs !== undefined) event.held_ms = heldMs;
  return event;
}

/** A first attempt that succeeds needs no message. */
export function toolSucceeded(
  callKey: string,
  { target, number, toolAttempt, hedge, startedAt }: LiveAttempt,
  now: number,
  captured: unknown,
): ToolSucceeded {
  const event: Unstamped<ToolSucceeded> = {
    event_type: 'ToolSucceeded',
    turn_id: '',
    seq: 0,
    timestamp: '',
    elapsed_ms: 0,
    call_id: callKey,
    tool_id: target.toolName,
    attempt: number,
    duration_ms: now - startedAt,
  };
  if (toolAttempt > 1 && hedge) event.message = `Tool succeeded on hedged attempt ${toolAttempt}`;
  else if (toolAttempt > 1) {
    event.retry = toolAttempt - 1;
    event.message = `Tool succeeded on retry ${toolAttempt}`;
  }
  if (captured !== undefined) event.output = captured;
  return event;
}

/** A result as the trace records it. */
export function callCompleted(callKey: string, result: ToolResult, single = false, waitedMs = 0): CallCompleted {
  const { error } = result;
  const event: Unstamped<CallCompleted> = {
    event_type: 'CallCompleted',
    turn_id: '',
    seq: 0,
    timestamp: '',
    elapsed_ms: 0,
    call_id: callKey,
    tool_id: result.toolName,
    status: result.status,
    served_by: result.servedBy,
    attempts: result.attempts,
    execution_time_ms: result.executionTime,
  };
  if (error) {
    event.code = error.code;
    event.error = error.message;
    event.classification = error.classification;
    event.category = error.category;
    if (error.stoppedBy) event.stopped_by = error.stoppedBy;
    if (error.causedBy) event.skipped = true;
  }
  if (result.fallbackUsed) event.fallback_used = true;
  if (result.partial) event.partial = true;
  if (waitedMs > 0) event.wait_ms = waitedMs;
  if (single) event.ends_turn = true;
  return event;
}

/** An operator has to be notified (docs/specification.md#s1-6-5). */
export function escalation({ callKey, toolName, critical }: CallSpec, fault: Fault, userMessage: string): Escalated {
  const event: Unstamped<Escalated> = {
    event_type: 'Escalated',
    turn_id: '',
    seq: 0,
    timestamp: '',
    elapsed_ms: 0,
    call_id: callKey,
    tool_id: toolName,
    critical,
    code: fault.code,
    user_message: userMessage,
    message: `Escalated: ${fault.text}`,
  };
  return event;
}
