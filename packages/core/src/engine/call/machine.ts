/**
 * Owns the call machine: what happens to one tool call from submission to result. Pure: `stepCall(state, input, now)` changes the state and returns
 * effects; it performs none, and never awaits. Start reading here.
 *
 *   submitted → prepare (arguments) → admit (breaker, limits) → attempt → settled?
 *   failure → record → assess → consult → retry, alternative, default, partial, escalate, fail
 *
 * Does not own deciding (`../recover/decide.ts`), admission state (`../admission`), or running anything (`../../runtime/drivers`).
 *
 * Invariants
 * 1. Exactly one `settle` per call; after it, only late work is recorded.
 * 2. Every permit is released exactly once: when its work has really ended, or is abandoned.
 * 3. Every admitted attempt is recorded exactly once, or its permit goes back unused.
 * 4. No timer outlives its purpose: each one that is set is cleared or fires.
 * 5. Nothing starts after the call was settled.
 */
import { acceptAdmission, askAdmission, attemptSettled, reportProgress, startHedge, timeOut } from './attempts.ts';
import { callStarted } from './events.ts';
import { applyDecision, askHandler, failBeforeAttempt } from './failure.ts';
import type { CallEffect, CallInput } from './protocol.ts';
import { abandon, cancel, reachDeadline } from './cancel-call.ts';
import type { CallState, Step } from './state.ts';

/** Feeds one input to a call. Changes the state in place. */
export function stepCall(state: CallState, input: CallInput, now: number): readonly CallEffect[] {
  const step: Step = { state, now, effects: [] };
  dispatch(step, input);
  return step.effects;
}

/** Whether the call can have no further effect: it is settled and none of its work is left. */
export function isFinished(state: CallState): boolean {
  return state.phase === 'settled' && state.live.length === 0;
}

function dispatch(step: Step, input: CallInput): void {
  const { state } = step;
  switch (input.type) {
    case 'submitted':
      return state.phase === 'new' ? submit(step) : undefined;
    case 'prepared':
      return state.phase === 'preparing' ? onPrepared(step, input) : undefined;
    case 'admission':
      return acceptAdmission(step, input);
    case 'attempt_settled':
      return attemptSettled(step, input.attempt, input.outcome);
    case 'progress_reported':
      return reportProgress(step, input.attempt, input.progress);
    case 'partial_reported':
      return reportProgress(
        step,
        input.attempt,
        { partial: true },
        input.altered ? { output: input.output, altered: input.altered } : { output: input.output },
      );
    case 'assessed':
      return state.phase === 'assessing' ? askHandler(step, input.assessment) : undefined;
    case 'decided':
      return state.phase === 'consulting' ? applyDecision(step, input.answer) : undefined;
    case 'cancelled':
      return cancel(step, input.fault);
    case 'deadline_reached':
      return reachDeadline(step, input);
    case 'timer_fired':
      return timerFired(step, input);
  }
}

function submit({ state, now, effects }: Step): void {
  state.startedAt = now;
  state.phase = 'preparing';
  effects.push({ type: 'append', event: callStarted(state.spec) });
  effects.push({ type: 'prepare', toolName: state.spec.toolName });
}

function onPrepared(step: Step, { fault }: Extract<CallInput, { type: 'prepared' }>): void {
  if (fault) return failBeforeAttempt(step, fault);
  askAdmission(step, false);
}

function timerFired(step: Step, { timer, attempt }: Extract<CallInput, { type: 'timer_fired' }>): void {
  const { state } = step;
  switch (timer) {
    case 'attempt':
    case 'idle':
      return timeOut(step, attempt, timer === 'idle');
    case 'abandon':
      return abandon(step, attempt);
    case 'hedge':
      return startHedge(step, attempt);
    case 'backoff':
      if (state.phase !== 'backing_off' || attempt !== state.attempts + 1) return;
      askAdmission(step, state.target.attempts > 0);
  }
}
