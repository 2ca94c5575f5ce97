/**
 * Owns the end of a call: its result and the events that record it. Invariant 1 of `machine.ts` is kept here: every path to `settle` goes through `settle()`.
 */
import type { Mutable } from '../plain/mutable.ts';
import { callCompleted, escalation, toolSucceeded } from './events.ts';
import type { Fault } from './fault.ts';
import type { Alteration, DeliveredOutput } from './output.ts';
import type { Outcome } from './protocol.ts';
import type { FailedResult, SuccessfulResult, ToolResult } from './result.ts';
import { failureOf } from './result.ts';
import type { StartedTool } from './messages.ts';
import { countedEffect } from '../settings/effect.ts';
import { endWait } from './open-attempts.ts';
import type { CallState, LiveAttempt, Step } from './state.ts';

export function settleSuccess(step: Step, attempt: LiveAttempt, { output, altered, captured }: Extract<Outcome, { ok: true }>): void {
  const { state, now, effects } = step;
  effects.push({ type: 'append', event: toolSucceeded(state.spec.callKey, attempt, now, captured) });
  settle(step, successfulResult(step, output, altered));
}

/** Time is up: the partial output becomes the result. */
export function settlePartial(step: Step, { output, altered }: DeliveredOutput): void {
  settle(step, { ...successfulResult(step, output, altered), partial: true });
}

/** `escalate`: an operator has to be notified (docs/specification.md#s1-6-5). */
export function settleFailure(step: Step, fault: Fault, fallback: { readonly value: unknown } | undefined, escalate?: 'escalate'): void {
  const { state, now, effects } = step;
  const { spec, target, stoppedBy } = state;
  endWait(state, now);
  const error = failureOf(fault, {
    toolName: spec.toolName,
    waitedMs: state.waitedMs,
    attempts: (state.earlierTargets[0] ?? target).attempts,
    stoppedBy,
    gateRetryAfterMs: stoppedBy === 'circuit' || stoppedBy === 'budget' ? state.gateRetryAfterMs : undefined,
    alternatives: state.availableAlternatives,
    started: startedTools(state),
  });
  if (escalate) effects.push({ type: 'append', event: escalation(spec, fault, error.userMessage) });
  const failed: FailedResult = {
    toolName: spec.toolName,
    callId: spec.callId,
    executionTime: now - state.startedAt,
    attempts: state.attempts,
    servedBy: target.toolName,
    // With a static fallback, the result is an error with an output, whatever the fault was (docs/specification.md#s4).
    status: fault.kind === 'timeout' && !fallback ? 'timeout' : 'error',
    error,
  };
  settle(step, fallback ? { ...failed, output: fallback.value, fallbackUsed: true } : failed);
}

const none: readonly never[] = [];

/** The tools that may have had their effect, the requested one first. */
function startedTools({ earlierTargets, target }: CallState): readonly StartedTool[] {
  if (!target.mayHaveHappened && earlierTargets.length === 0) return none;
  return [...earlierTargets, target].flatMap(({ mayHaveHappened, toolName, attempts, settings }) =>
    mayHaveHappened ? [{ toolName, times: attempts, effect: countedEffect(settings) }] : [],
  );
}

function successfulResult({ state, now }: Step, output: unknown, altered: Alteration | undefined): SuccessfulResult {
  const { spec, target } = state;
  const result: Mutable<SuccessfulResult> = {
    toolName: spec.toolName,
    callId: spec.callId,
    status: 'success',
    output,
    executionTime: now - state.startedAt,
    attempts: state.attempts,
    servedBy: target.toolName,
  };
  if (altered) result.altered = altered;
  if (target.toolName !== spec.toolName) result.fallbackUsed = true;
  return result;
}

function settle({ state, effects }: Step, result: ToolResult): void {
  state.phase = 'settled';
  state.pending = undefined;
  effects.push({ type: 'append', event: callCompleted(state.spec.callKey, result, state.spec.single, state.waitedMs) });
  effects.push({ type: 'settle', result });
}
