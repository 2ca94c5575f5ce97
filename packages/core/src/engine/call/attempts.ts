/**
 * Owns the life of attempts: admitted, started, progressing, hedged, timed out, settled, late. Invariants 2 and 3 of `machine.ts` are kept here and in
 * `open-attempts.ts`.
 */
import type { Permit } from '../admission/types.ts';
import type { CircuitState } from '../breaker/types.ts';
import type { Mutable } from '../plain/mutable.ts';
import type { ToolSettings } from '../settings/settings.ts';
import type { Progress } from '../tool/runner.ts';
import type { ToolTimeout } from '../trace/events.ts';
import { settleSuccess } from './finish-call.ts';
import { admissionWaiting, attemptStarted } from './events.ts';
import type { Waiting } from './events.ts';
import { failAttempt, observe, refuse } from './failure.ts';
import { idleTimeoutFault, timeoutFault } from './fault.ts';
import type { DeliveredOutput } from './output.ts';
import type { CallInput, Outcome } from './protocol.ts';
import {
  clearTimers,
  endWait,
  liveAttempt,
  orphanAttempt,
  removeLive,
  restartIdleTimer,
  setIdleTimer,
  supersede,
  turnLeftMs,
} from './open-attempts.ts';
import type { LiveAttempt, Step } from './state.ts';
import { applyUnknownFailures } from './unknown-failure.ts';

type AdmissionInput = Extract<CallInput, { type: 'admission' }>;

/** Requests the right to make an attempt with the tool of the current target. */
export function askAdmission({ state, now, effects }: Step, retry: boolean): void {
  const { target, spec } = state;
  state.requests += 1;
  state.pendingRequest = state.requests;
  state.phase = 'admitting';
  const { toolName, settings } = target;
  const timeLimitMs = probeLimitMs(settings);
  const request = state.requests;
  if (!settings.waitForRecovery) effects.push({ type: 'admit', request, toolName, retry, timeLimitMs });
  else {
    const ageMs = now - state.startedAt;
    const { attempts, failed } = target;
    effects.push({ type: 'admit', request, toolName, retry, timeLimitMs, ageMs, turnLeftMs: turnLeftMs(spec, now), attempts, failed });
  }
}

/** How long a probe may take. Without a time limit it is the circuit's lease: a probe that hangs must not keep the others away for ever. */
export function probeLimitMs({ timeoutMs, breaker }: ToolSettings): number {
  if (Number.isFinite(timeoutMs)) return timeoutMs;
  return breaker === false ? 0 : breaker.probeLeaseMs;
}

export function acceptAdmission(step: Step, input: AdmissionInput): void {
  const { state } = step;
  if (state.hedgeRequest === input.request && state.phase === 'running') return acceptHedge(step, input);
  const expected = state.pendingRequest === input.request && (state.phase === 'admitting' || state.phase === 'waiting');
  if (!expected) return returnAnswer(step, input);
  const { answer, circuit, heldMs, hedgeAfterMs } = input;
  switch (answer.kind) {
    case 'permit':
      state.ticket = undefined;
      state.pendingRequest = undefined;
      return start(step, { permit: answer.permit, circuit, hedge: false, hedgeAfterMs });
    case 'wait':
      return wait(step, answer, heldMs);
    case 'refused':
      state.ticket = undefined;
      state.pendingRequest = undefined;
      return refuse(step, answer.refusal, circuit, heldMs);
  }
}

/** A hedge is useful only if it starts at once: it never waits, and a refusal changes nothing. */
function acceptHedge(step: Step, input: AdmissionInput): void {
  const { target, spec } = step.state;
  step.state.hedgeRequest = undefined;
  const { hedge } = target.settings;
  const next = hedge && step.state.hedges + 1 < hedge.maxHedges ? input.hedgeAfterMs : undefined;
  // A fleet may take time to answer: other calls may have used up the turn's retries by then.
  const allowed = spec.allowance.left === null || spec.allowance.left >= 1;
  if (input.answer.kind === 'permit' && allowed)
    start(step, { permit: input.answer.permit, circuit: input.circuit, hedge: true, hedgeAfterMs: next });
  else returnAnswer(step, input);
}

/** The call continued before the answer came. */
function returnAnswer({ effects }: Step, { toolName, answer }: AdmissionInput): void {
  if (answer.kind === 'permit') effects.push({ type: 'return_permit', toolName, permit: answer.permit });
  if (answer.kind === 'wait') effects.push({ type: 'cancel_wait', toolName, ticket: answer.ticket });
}

function wait({ state, now, effects }: Step, answer: Waiting, heldMs: number | undefined): void {
  // A wait for a slot may become a wait for recovery: from then on it counts as one.
  const isNew = state.ticket === undefined || (answer.wait !== undefined && state.waitingSince === undefined);
  if (isNew) effects.push({ type: 'append', event: admissionWaiting(state, answer, heldMs) });
  if (answer.wait !== undefined) state.waitingSince ??= now;
  state.phase = 'waiting';
  state.ticket = answer.ticket;
}

interface Start {
  readonly permit: Permit;
  readonly circuit: CircuitState;
  readonly hedge: boolean;
  readonly hedgeAfterMs: number | undefined;
}

function start({ state, now, effects }: Step, { permit, circuit, hedge, hedgeAfterMs }: Start): void {
  const { target, spec } = state;
  const { timeoutMs } = target.settings;
  const waitedMs = hedge ? undefined : endWait(state, now);
  if (permit.probe) target.probes += 1;
  if (hedge) {
    state.hedges += 1;
    if (spec.allowance.left !== null) spec.allowance.left -= 1;
  }
  state.phase = 'running';
  state.attempts += 1;
  target.attempts += 1;
  const attempt = state.attempts;
  const live: LiveAttempt = {
    number: attempt,
    toolAttempt: target.attempts,
    hedge,
    target,
    permit,
    startedAt: now,
    circuit,
    progressAt: now,
    partial: undefined,
    orphaned: false,
  };
  state.live = state.live.length === 0 ? [live] : [...state.live, live];
  effects.push({ type: 'append', event: attemptStarted(spec.callKey, live, circuit, waitedMs) });
  effects.push({ type: 'set_timer', timer: 'attempt', attempt, delayMs: timeoutMs, hedgeAfterMs });
  setIdleTimer(effects, live, now);
  effects.push({ type: 'start_attempt', toolName: target.toolName, attempt, timeoutMs });
}

/** The attempt is slow: another one starts beside it, if admission allows a retry now. */
export function startHedge({ state, effects }: Step, attempt: number): void {
  const { target } = state;
  const first = liveAttempt(state, attempt);
  const { hedge } = target.settings;
  if (state.phase !== 'running' || !first || first.orphaned || !hedge || state.hedges >= hedge.maxHedges) return;
  if (target.attempts >= target.settings.retry.maxAttempts || state.spec.allowance.left === 0) return;
  state.requests += 1;
  state.hedgeRequest = state.requests;
  effects.push({
    type: 'admit',
    request: state.requests,
    toolName: target.toolName,
    retry: true,
    timeLimitMs: probeLimitMs(target.settings),
  });
}

export function attemptSettled(step: Step, number: number, settled: Outcome): void {
  const { state, now, effects } = step;
  const attempt = liveAttempt(state, number);
  if (!attempt) return;
  const outcome: Outcome = settled.ok ? settled : { ok: false, fault: applyUnknownFailures(settled.fault, attempt.target.settings) };
  if (attempt.orphaned || state.phase === 'settled') return settledLate(step, attempt, outcome);
  removeLive(state, attempt);
  clearTimers(step, attempt);
  if (!outcome.ok) return failAttempt(step, attempt, outcome.fault, 'ended');
  const durationMs = now - attempt.startedAt;
  effects.push({
    type: 'record',
    toolName: attempt.target.toolName,
    permit: attempt.permit,
    observation: { outcome: 'success', durationMs },
    answer: false,
  });
  effects.push({ type: 'release', toolName: attempt.target.toolName, permit: attempt.permit });
  if (state.live.length > 0) supersede(step);
  settleSuccess(step, attempt, outcome);
}

/** An attempt reached a time limit: the call continues without it, whether the work stops or not. `idle`: it was the limit without progress. */
export function timeOut(step: Step, number: number, idle: boolean): void {
  const { state, now, effects } = step;
  const attempt = liveAttempt(state, number);
  if (!attempt || attempt.orphaned) return;
  const { timeoutMs, idleTimeoutMs = timeoutMs } = attempt.target.settings;
  const limitMs = idle ? idleTimeoutMs : timeoutMs;
  const event: Mutable<ToolTimeout> = {
    event_type: 'ToolTimeout',
    tool_id: attempt.target.toolName,
    timeout_ms: limitMs,
    call_id: state.spec.callKey,
    attempt: number,
  };
  if (idle) event.idle = true;
  effects.push({ type: 'append', event });
  if (state.phase === 'settled') {
    // The turn's deadline left this attempt running; its own limit ends it now.
    const fault = idle ? idleTimeoutFault(limitMs) : timeoutFault(limitMs);
    orphanAttempt(step, attempt, idle ? 'idle' : 'timeout', observe(state, attempt, fault, now));
    return;
  }
  failAttempt(step, attempt, idle ? idleTimeoutFault(limitMs) : timeoutFault(limitMs), idle ? 'idle' : 'timeout');
}

export function reportProgress(
  { state, effects, now }: Step,
  number: number,
  progress: Progress & { readonly partial?: boolean },
  partial?: DeliveredOutput,
): void {
  const attempt = liveAttempt(state, number);
  if (!attempt || attempt.orphaned) return;
  attempt.progressAt = now;
  restartIdleTimer(effects, attempt, now, state.phase === 'settled');
  if (state.phase === 'settled') return;
  if (partial) attempt.partial = partial;
  effects.push({
    type: 'append',
    event: { event_type: 'ToolProgress', call_id: state.spec.callKey, tool_id: attempt.target.toolName, attempt: number, ...progress },
  });
}

/** Work that ended after the call continued without it: recorded, never delivered. */
function settledLate(step: Step, attempt: LiveAttempt, outcome: Outcome): void {
  const { state, now, effects } = step;
  const { toolName } = attempt.target;
  const durationMs = now - attempt.startedAt;
  removeLive(state, attempt);
  clearTimers(step, attempt);
  if (!attempt.orphaned) {
    // Left running at the turn's deadline: its outcome is still evidence about its service.
    const observation = outcome.ok ? ({ outcome: 'success', durationMs } as const) : observe(state, attempt, outcome.fault, now);
    effects.push({ type: 'record', toolName, permit: attempt.permit, observation, answer: false });
  }
  effects.push({ type: 'release', toolName, permit: attempt.permit });
  effects.push({
    type: 'append',
    event: {
      event_type: 'LateResult',
      call_id: state.spec.callKey,
      tool_id: toolName,
      attempt: attempt.number,
      result: outcome.ok ? 'late_success' : 'late_failure',
      duration_ms: durationMs,
    },
  });
}
