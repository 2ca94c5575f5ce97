/**
 * Owns everything that ends a call, or an attempt, from outside: the caller's cancellation, the turn's deadline, work that does not stop.
 */
import { settleFailure, settlePartial } from './finish-call.ts';
import type { Fault } from './fault.ts';
import { deadlineFault } from './fault.ts';
import { clearTimers, detachAttempt, liveAttempt, orphanAttempt, removeLive } from './open-attempts.ts';
import type { CallInput } from './protocol.ts';
import type { Step } from './state.ts';

/** The caller cancelled: neutral for every circuit, and answered at once. */
export function cancel(step: Step, fault: Fault): void {
  const { state, now } = step;
  if (state.phase === 'settled') return;
  stopWaiting(step);
  const running = state.live.filter((attempt) => !attempt.orphaned);
  for (const attempt of running) {
    orphanAttempt(step, attempt, 'cancelled', { outcome: 'neutral', durationMs: now - attempt.startedAt }, fault.cause);
    attempt.target.mayHaveHappened = true;
  }
  settleFailure(step, fault, undefined);
}

/** The turn's time is up. `detach`: running work continues under its own limit. */
export function reachDeadline(step: Step, { onDeadline, timeoutMs }: Extract<CallInput, { type: 'deadline_reached' }>): void {
  const { state, now } = step;
  if (state.phase === 'settled') return;
  const running = state.live.filter((attempt) => !attempt.orphaned);
  stopWaiting(step);
  for (const attempt of running) {
    attempt.target.mayHaveHappened = true;
    if (onDeadline === 'detach') detachAttempt(step, attempt);
    else orphanAttempt(step, attempt, 'deadline', { outcome: 'neutral', timedOut: true, durationMs: now - attempt.startedAt });
  }
  const withPartial = running.find(({ partial, target }) => partial !== undefined && target.settings.acceptPartial);
  if (withPartial?.partial) return settlePartial(step, withPartial.partial);
  state.stoppedBy = 'deadline';
  const fault = deadlineFault(timeoutMs, running.length > 0 ? 'running' : state.attempts > 0 ? 'between_attempts' : 'waiting');
  const cause = state.lastFault?.cause;
  settleFailure(step, cause === undefined ? fault : { ...fault, cause }, undefined);
}

/** Work that passed the abandon limit, after its time limit or, without one, after the turn's deadline: it no longer counts, though it may still run. */
export function abandon(step: Step, number: number): void {
  const { state, now, effects } = step;
  const attempt = liveAttempt(state, number);
  if (!attempt || (!attempt.orphaned && state.phase !== 'settled')) return;
  const { toolName } = attempt.target;
  const durationMs = now - attempt.startedAt;
  if (!attempt.orphaned) {
    clearTimers(step, attempt);
    effects.push({
      type: 'record',
      toolName,
      permit: attempt.permit,
      observation: { outcome: 'neutral', timedOut: true, durationMs },
      answer: false,
    });
  }
  removeLive(state, attempt);
  effects.push({ type: 'release', toolName, permit: attempt.permit });
  effects.push({
    type: 'append',
    event: {
      event_type: 'AttemptAbandoned',
      call_id: state.spec.callKey,
      tool_id: toolName,
      attempt: number,
      duration_ms: durationMs,
    },
  });
}

function stopWaiting({ state, effects }: Step): void {
  if (state.phase === 'backing_off') effects.push({ type: 'clear_timer', timer: 'backoff', attempt: state.attempts + 1 });
  if (state.ticket === undefined) return;
  effects.push({ type: 'cancel_wait', toolName: state.target.toolName, ticket: state.ticket });
  state.ticket = undefined;
}
