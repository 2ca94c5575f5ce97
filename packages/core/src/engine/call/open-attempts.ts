/**
 * Owns the list of attempts whose work has not ended, their timers and permits, and how long a call has waited and may still wait.
 */
import type { Observation } from '../admission/types.ts';
import type { AbortReason, CallEffect } from './protocol.ts';
import type { CallSpec, CallState, LiveAttempt, Step } from './state.ts';

/** The call continues without this attempt; its work is asked to stop and keeps its slot until it does. */
export function orphanAttempt(step: Step, attempt: LiveAttempt, reason: AbortReason, observation?: Observation, cause?: unknown): void {
  const { effects } = step;
  const { toolName, settings } = attempt.target;
  clearTimers(step, attempt);
  attempt.orphaned = true;
  if (observation) effects.push({ type: 'record', toolName, permit: attempt.permit, observation, answer: false });
  effects.push({ type: 'orphan', toolName, permit: attempt.permit });
  effects.push({ type: 'set_timer', timer: 'abandon', attempt: attempt.number, delayMs: settings.abandonMs, background: true });
  effects.push({ type: 'abort_attempt', attempt: attempt.number, reason, ...(cause !== undefined && { cause }) });
}

/** Stops the slower attempts of a call whose result is known. */
export function supersede(step: Step): void {
  const { state, now } = step;
  for (const slower of state.live)
    if (!slower.orphaned) orphanAttempt(step, slower, 'superseded', { outcome: 'neutral', durationMs: now - slower.startedAt });
}

/**
 * The attempt continues although its call has been answered: its time limit still ends it, but does not keep the process alive. Without a time limit it keeps its
 * slot as long as work that ignores one.
 */
export function detachAttempt(step: Step, attempt: LiveAttempt): void {
  const { timeoutMs, idleTimeoutMs = Infinity, abandonMs } = attempt.target.settings;
  clearTimers(step, attempt);
  if (!Number.isFinite(Math.min(timeoutMs, idleTimeoutMs)))
    step.effects.push({ type: 'set_timer', timer: 'abandon', attempt: attempt.number, delayMs: abandonMs, background: true });
  const delayMs = Math.max(attempt.startedAt + timeoutMs - step.now, 0);
  step.effects.push({ type: 'set_timer', timer: 'attempt', attempt: attempt.number, delayMs, background: true });
  setIdleTimer(step.effects, attempt, step.now, true);
}

/** Sets the limit without progress, where there is one, for what is left of it. */
export function setIdleTimer(effects: CallEffect[], { number, target, progressAt }: LiveAttempt, now: number, background = false): void {
  const { idleTimeoutMs } = target.settings;
  if (idleTimeoutMs === undefined) return;
  effects.push({ type: 'set_timer', timer: 'idle', attempt: number, delayMs: Math.max(progressAt + idleTimeoutMs - now, 0), background });
}

export function restartIdleTimer(effects: CallEffect[], attempt: LiveAttempt, now: number, background: boolean): void {
  if (attempt.target.settings.idleTimeoutMs === undefined) return;
  effects.push({ type: 'clear_timer', timer: 'idle', attempt: attempt.number });
  setIdleTimer(effects, attempt, now, background);
}

/** Clears the timers of the attempt. */
export function clearTimers({ effects }: Step, { number, orphaned }: LiveAttempt): void {
  effects.push({ type: 'clear_timer', timer: orphaned ? 'abandon' : 'attempt', attempt: number });
}

/** The attempt of that number, while its work has not ended. */
export function liveAttempt({ live }: CallState, number: number): LiveAttempt | undefined {
  const [first] = live;
  return first?.number === number ? first : live.find((attempt) => attempt.number === number);
}

const none: readonly LiveAttempt[] = [];

export function removeLive(state: CallState, attempt: LiveAttempt): void {
  if (state.live.length === 1 && state.live[0] === attempt) state.live = none;
  else state.live = state.live.filter((live) => live !== attempt);
}

/** Ends the wait for recovery, if the call was in one, and returns its duration. */
export function endWait(state: CallState, now: number): number | undefined {
  if (state.waitingSince === undefined) return undefined;
  const waitedMs = now - state.waitingSince;
  state.waitingSince = undefined;
  state.waitedMs += waitedMs;
  return waitedMs;
}

/** Until the turn's deadline, if it has one. */
export function turnLeftMs({ deadlineAt }: CallSpec, now: number): number | undefined {
  return deadlineAt === undefined ? undefined : Math.max(deadlineAt - now, 0);
}
