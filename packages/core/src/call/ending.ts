/**
 * Owns the end of a call: its result and the events that tell it. Invariant 1 of `machine.ts` is kept here: every path to `settle` goes through `settle()`.
 */
import type { Mutable } from '../mutable.ts';
import type { CallCompleted } from '../trace/events.ts';
import type { Fault } from './fault.ts';
import type { DeliveredOutput } from './output.ts';
import type { Outcome } from './protocol.ts';
import type { FailedResult, ToolResult } from './result.ts';
import { failureOf } from './result.ts';
import type { LiveAttempt, Step } from './state.ts';

export function settleSuccess(step: Step, attempt: LiveAttempt, { output, altered, captured }: Extract<Outcome, { ok: true }>): void {
  const { state, now, effects } = step;
  const { leg } = attempt;
  effects.push({
    type: 'append',
    event: {
      event_type: 'ToolSucceeded',
      call_id: state.spec.callKey,
      tool_id: leg.toolName,
      attempt: attempt.number,
      duration_ms: now - attempt.startedAt,
      ...(attempt.legAttempt > 1 &&
        (attempt.hedge
          ? { message: `Tool succeeded on hedged attempt ${attempt.legAttempt}` }
          : { retry: attempt.legAttempt - 1, message: `Tool succeeded on retry ${attempt.legAttempt}` })),
      ...(captured === undefined ? {} : { output: captured }),
    },
  });
  settle(step, { ...base(step), status: 'success', output, ...(altered && { altered }), ...servedByAnother(step) });
}

/** The time was up, and what the tool had is taken. */
export function settlePartial(step: Step, { output, altered }: DeliveredOutput): void {
  settle(step, { ...base(step), status: 'success', output, partial: true, ...(altered && { altered }), ...servedByAnother(step) });
}

/** `escalate`: somebody has to know (S1 6.5). */
export function settleFailure(step: Step, fault: Fault, fallback: { readonly value: unknown } | undefined, escalate?: 'escalate'): void {
  const { state, now, effects } = step;
  const { spec, leg, stoppedBy, usedAlternatives } = state;
  const declared = spec.settingsOf(spec.toolName)?.alternatives ?? [];
  const alternatives = usedAlternatives.length === 0 ? declared : declared.filter((name) => !usedAlternatives.includes(name));
  const error = failureOf(fault, {
    toolName: spec.toolName,
    stoppedBy,
    comeBackMs: stoppedBy === 'circuit' || stoppedBy === 'budget' ? state.comeBackMs : undefined,
    alternatives,
    unsafe: leg.settings.effect === 'unsafe',
  });
  if (escalate) {
    effects.push({
      type: 'append',
      event: {
        event_type: 'Escalated',
        call_id: spec.callKey,
        tool_id: spec.toolName,
        critical: spec.critical,
        code: fault.code,
        user_message: error.userMessage,
        message: `Escalated: ${fault.text}`,
      },
    });
  }
  const failed: FailedResult = {
    toolName: spec.toolName,
    callId: spec.callId,
    executionTime: now - state.startedAt,
    attempts: state.attempts,
    servedBy: leg.toolName,
    // With a static fallback it is an error that brings an output, whatever the fault was (S4).
    status: fault.kind === 'timeout' && !fallback ? 'timeout' : 'error',
    error,
  };
  settle(step, fallback ? { ...failed, output: fallback.value, fallbackUsed: true } : failed);
}

function base({ state, now }: Step): Pick<ToolResult, 'toolName' | 'callId' | 'executionTime' | 'attempts' | 'servedBy'> {
  const { spec, leg } = state;
  return {
    toolName: spec.toolName,
    callId: spec.callId,
    executionTime: now - state.startedAt,
    attempts: state.attempts,
    servedBy: leg.toolName,
  };
}

function servedByAnother({ state }: Step): { readonly fallbackUsed?: true } {
  return state.leg.toolName === state.spec.toolName ? {} : { fallbackUsed: true };
}

function settle({ state, effects }: Step, result: ToolResult): void {
  state.phase = 'settled';
  state.pending = undefined;
  effects.push({ type: 'append', event: callCompleted(state.spec.callKey, result, state.spec.lone) });
  effects.push({ type: 'settle', result });
}

/** How a result stands in the trace. */
export function callCompleted(callKey: string, result: ToolResult, lone = false): CallCompleted {
  const { error } = result;
  const event: Mutable<CallCompleted> = {
    event_type: 'CallCompleted',
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
  if (lone) event.ends_turn = true;
  return event;
}
