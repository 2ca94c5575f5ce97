/**
 * Owns the path of a failure: it is recorded, assessed, passed to the Error Handler, and the decision is carried out. Does not own the decision.
 */
import type { FailedBefore, Observation, Refusal } from '../admission/types.ts';
import type { CircuitState } from '../breaker/types.ts';
import type { Decision, DecisionInputs } from '../recover/decision.ts';
import type { Mutable } from '../plain/mutable.ts';
import type { FailureNotice, HandlerAnswer } from '../recover/error-handler.ts';
import { decide } from '../recover/decide.ts';
import { waitsForRecovery } from '../recover/wait-for-recovery.ts';
import { drawAt } from '../backoff/random.ts';
import type { ToolSettings } from '../settings/settings.ts';
import { fallbackOf, gatherFacts, ownWaitMs, unusedAlternatives } from './decision-facts.ts';
import { admissionWaiting } from './events.ts';
import { settleFailure, settlePartial } from './finish-call.ts';
import type { Fault } from './fault.ts';
import { refusalFault } from './fault.ts';
import { callRefused, recoveryDecided, retryScheduled, toolError } from './failure-events.ts';
import { endWait, orphanAttempt, supersede } from './open-attempts.ts';
import type { Assessment } from './protocol.ts';
import type { CallState, LiveAttempt, Step } from './state.ts';
import { createTarget } from './state.ts';
import { isReported, isUnknown } from './unknown-failure.ts';

/** Rejected before any tool ran. No circuit breaker counts it. */
export function failBeforeAttempt(step: Step, fault: Fault): void {
  step.state.lastFault ??= fault;
  assess(step, { fault, attempt: undefined, failedAt: step.now, circuit: 'closed', unrecorded: false });
}

/**
 * The gate refused the call. A short wait that the server or the rate limiter asked for is accepted; everything else goes to the handler. Where calls wait
 * for recovery, the gate has already let them wait if that could help.
 */
export function refuse(step: Step, refusal: Refusal, circuit: CircuitState, heldMs: number | undefined): void {
  const { state, now, effects } = step;
  const { target, spec } = state;
  const waitedMs = endWait(state, now);
  const wait = refusal.code === 'RATE_LIMITED' && !isWaiting(target.settings) ? refusal.retryAfterMs : undefined;
  if (wait !== undefined) {
    target.heldSince ??= now;
    const since = Math.min(target.firstFailureAt ?? now, target.heldSince);
    const fits =
      now - since + wait < target.settings.retry.maxTotalTimeMs && (spec.deadlineAt === undefined || now + wait < spec.deadlineAt);
    if (fits) {
      state.phase = 'backing_off';
      effects.push({ type: 'append', event: admissionWaiting(state, { wait: 'retry_after', retryAfterMs: wait }, heldMs) });
      effects.push({ type: 'set_timer', timer: 'backoff', attempt: state.attempts + 1, delayMs: wait });
      return;
    }
  }
  effects.push({ type: 'append', event: callRefused(spec.callKey, target.toolName, refusal, circuit, heldMs, waitedMs) });
  // A refused retry must not hide the error that made the retry necessary.
  if (state.lastFault) state.stoppedBy = refusal.code === 'CIRCUIT_OPEN' ? 'circuit' : 'budget';
  state.gateRetryAfterMs = refusal.retryAfterMs;
  assess(step, { fault: refusalFault(target.toolName, refusal), attempt: undefined, failedAt: now, circuit, unrecorded: false });
}

/** An attempt failed. `timeout`, `idle`: its time was up but its work may continue. */
export function failAttempt(step: Step, attempt: LiveAttempt, fault: Fault, end: 'ended' | 'timeout' | 'idle'): void {
  const { state, now, effects } = step;
  const { target } = attempt;
  const observation = observe(state, attempt, fault, now);
  // A probe is never retried: it counts as the whole call. A gate where calls wait counts by itself.
  const counted =
    target.settings.breaker === false ||
    target.settings.breaker.count === 'attempt' ||
    isWaiting(target.settings) ||
    observation.outcome !== 'transient' ||
    attempt.permit.probe;
  const sibling = state.live.find((live) => live !== attempt && !live.orphaned);
  if (end !== 'ended') orphanAttempt(step, attempt, end);
  state.lastFault = fault;
  if (fault.classification.ambiguous) target.mayHaveHappened = true;
  if (isUnknown(fault.classification)) target.unknownFailures += 1;
  target.firstFailureAt ??= now;
  if (observation.retryAfterMs !== undefined) target.retryAfterUntil = Math.max(target.retryAfterUntil, now + observation.retryAfterMs);
  const pending = { fault, attempt, failedAt: now, circuit: attempt.circuit, unrecorded: !counted };
  // A server's Retry-After holds the tool's other calls at once, whatever the circuit counts.
  const { retryAfterMs: holdMs, durationMs } = observation;
  if (!counted && holdMs !== undefined) effects.push({ type: 'hold', toolName: target.toolName, holdMs, durationMs });
  // A permanent failure of the first attempt is final: a hedge that is still running would only delay the answer. That of a hedge is not: it may be its own fault.
  if (sibling && observation.outcome === 'permanent' && attempt.number < sibling.number) supersede(step);
  else if (sibling) {
    // A hedge is still running; its outcome decides.
    if (counted) effects.push({ type: 'record', toolName: target.toolName, permit: attempt.permit, observation, answer: false });
    if (end === 'ended') effects.push({ type: 'release', toolName: target.toolName, permit: attempt.permit });
    effects.push({ type: 'append', event: toolError(state, pending, 'retry', 'Another attempt is still running') });
    return;
  }
  state.pending = pending;
  state.phase = 'assessing';
  if (counted) effects.push({ type: 'record', toolName: target.toolName, permit: attempt.permit, observation, answer: true });
  else effects.push({ type: 'observe', toolName: target.toolName });
  if (end === 'ended') effects.push({ type: 'release', toolName: target.toolName, permit: attempt.permit });
}

/** Whether calls wait at the gate for their tool to recover. */
function isWaiting({ waitForRecovery }: ToolSettings): boolean {
  return waitForRecovery !== undefined && waitForRecovery !== false;
}

/** What the circuit breaker observes of a fault. An unknown failure that is not transient shows nothing, neither about the dependency nor about the request. */
export function observe(
  { spec }: CallState,
  { number, startedAt }: Pick<LiveAttempt, 'number' | 'startedAt'>,
  { kind, classification: meaning }: Fault,
  now: number,
): Observation {
  const { classification, category, retryAfterMs } = meaning;
  const outcome = classification === 'permanent' && isUnknown(meaning) ? 'neutral' : classification;
  const random = drawAt(spec.seed, spec.turnId, spec.callKey, 'probe', String(number));
  const observation: Mutable<Observation> = { outcome, durationMs: now - startedAt, random };
  if (outcome === 'neutral' && isUnknown(meaning)) return observation; // words hold no other call
  if (retryAfterMs !== undefined) observation.retryAfterMs = retryAfterMs;
  if (category === 'rate_limit') observation.rateLimited = true;
  if (kind === 'timeout') observation.timedOut = true;
  return observation;
}

function assess(step: Step, pending: NonNullable<CallState['pending']>): void {
  step.state.pending = pending;
  step.state.phase = 'assessing';
  step.effects.push({ type: 'observe', toolName: step.state.target.toolName });
}

export function askHandler(step: Step, assessment: Assessment): void {
  const { state, effects } = step;
  const { pending, spec } = state;
  if (!pending) return;
  pending.circuit = assessment.circuit;
  if (pending.attempt && isWaiting(state.target.settings))
    state.target.failed = failedBefore(pending.fault, pending.attempt.startedAt, assessment.circuit, state.target.settings);
  const askedMs = assessment.retryAfterMs ?? ownWaitMs(state.target, pending.fault, step.now);
  if (askedMs !== undefined) state.gateRetryAfterMs = askedMs;
  if (assessment.alternatives.length > 0)
    state.availableAlternatives = unusedAlternatives(state, assessment).flatMap(({ toolName, available }) => (available ? [toolName] : []));
  state.phase = 'consulting';
  const notice: Mutable<FailureNotice> = {
    turnId: spec.turnId,
    callId: spec.callKey,
    toolName: state.target.toolName,
    attempt: pending.attempt?.number ?? 0,
    code: pending.fault.code,
    message: pending.fault.text,
    facts: gatherFacts(step, pending, assessment),
  };
  if ('cause' in pending.fault) notice.error = pending.fault.cause;
  effects.push({ type: 'consult', notice });
}

function failedBefore(fault: Fault, startedAt: number, circuit: CircuitState, settings: ToolSettings): FailedBefore {
  return { startedAt, timedOut: fault.kind === 'timeout', unknown: isReported(fault, settings), down: circuit !== 'closed' };
}

export function applyDecision(step: Step, answer: HandlerAnswer): void {
  const { state, effects } = step;
  const { pending, target } = state;
  if (!pending) return;
  state.pending = undefined;
  const { inputs, decision, decidedBy } = withinAllowance(answer, state.spec.allowance.left);
  if (pending.fault.kind !== 'refused') effects.push({ type: 'append', event: toolError(state, pending, decision.action) });
  effects.push({ type: 'append', event: recoveryDecided(state, pending, inputs, decision, decidedBy) });
  if (pending.unrecorded && pending.attempt && decision.action !== 'retry') {
    const observed = observe(state, pending.attempt, pending.fault, pending.failedAt);
    // The gate received the hold when it began.
    const observation = observed.retryAfterMs === undefined ? observed : { ...observed, retryAfterMs: 0 };
    effects.push({ type: 'record', toolName: target.toolName, permit: pending.attempt.permit, observation, answer: false });
  }
  if (decision.action !== 'retry' && state.stoppedBy === undefined) state.stoppedBy = decision.stoppedBy;
  carryOut(step, pending, decision, inputs);
}

/** Other calls may have used up the turn's retries while an advisor was running: then the decision is made again, with what is left now. */
function withinAllowance(answer: HandlerAnswer, left: number | null): HandlerAnswer {
  const { inputs, decision } = answer;
  if (decision.action !== 'retry' || left === null || left >= 1 || waitsForRecovery(inputs)) return answer;
  const known = { ...inputs, turnRetriesLeft: left };
  return { inputs: known, decision: decide(known), decidedBy: 'built_in' };
}

function carryOut(step: Step, pending: NonNullable<CallState['pending']>, decision: Decision, inputs: DecisionInputs): void {
  const { state, effects } = step;
  const { spec } = state;
  switch (decision.action) {
    case 'retry':
      return scheduleRetry(step, decision.delayMs ?? 0, waitsForRecovery(inputs));
    case 'use_alternative':
      return useAlternative(step, decision.alternative ?? '');
    case 'accept_partial':
      return pending.attempt?.partial ? settlePartial(step, pending.attempt.partial) : settleFailure(step, pending.fault, undefined);
    case 'use_default':
      effects.push({
        type: 'append',
        event: {
          event_type: 'DefaultUsed',
          call_id: spec.callKey,
          tool_id: spec.toolName,
          message: `Used fallback value for ${spec.toolName}`,
        },
      });
      return settleFailure(step, finalFault(state, pending.fault), fallbackOf(state));
    case 'escalate':
      return settleFailure(step, finalFault(state, pending.fault), undefined, 'escalate');
    case 'skip':
    case 'fail':
    default:
      // For an unknown action too: every call ends.
      return settleFailure(step, finalFault(state, pending.fault), undefined);
  }
}

/** The last real error, if there was one: the reason a retry was stopped must not hide why it was needed. */
function finalFault(state: CallState, fault: Fault): Fault {
  return fault.kind === 'refused' || fault.kind === 'rejected' ? (state.lastFault ?? fault) : fault;
}

/** `waits`: the retry uses none of the turn's shared retries, since it starts no sooner than the tool can serve it. */
function scheduleRetry({ state, effects }: Step, delayMs: number, waits: boolean): void {
  const { target, spec } = state;
  const attempt = state.attempts + 1;
  target.previousDelayMs = delayMs;
  if (spec.allowance.left !== null && !waits) spec.allowance.left -= 1;
  state.phase = 'backing_off';
  effects.push({ type: 'append', event: retryScheduled(spec.callKey, target.toolName, attempt, delayMs) });
  effects.push({ type: 'set_timer', timer: 'backoff', attempt, delayMs });
}

function useAlternative(step: Step, alternative: string): void {
  const { state, effects } = step;
  const { spec } = state;
  const settings = spec.settingsOf(alternative);
  effects.push({
    type: 'append',
    event: { event_type: 'AlternativeUsed', call_id: spec.callKey, tool_id: spec.toolName, alternative, message: 'Used alternative tool' },
  });
  state.usedAlternatives = [...state.usedAlternatives, alternative];
  state.availableAlternatives = state.availableAlternatives.filter((name) => name !== alternative);
  state.hedgeRequest = undefined;
  state.stoppedBy = undefined;
  state.gateRetryAfterMs = undefined;
  state.earlierTargets = [...state.earlierTargets, state.target];
  if (settings) state.target = createTarget(alternative, settings);
  state.phase = 'preparing';
  effects.push({ type: 'prepare', toolName: alternative });
}
