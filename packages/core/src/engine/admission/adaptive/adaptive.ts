/**
 * Owns what outcomes change in a gate whose calls wait for their tool to recover (profile `adaptive`): when the tool is down, when it is back,
 * and what the parts learn. The parts are beside this file; the state is in `state.ts`, admission in `admit.ts`, waking in `pump.ts`.
 *
 * 1. The layer slows only what it adds. A first attempt starts at once unless several calls have proved that the tool is down, or time-outs that it is overloaded.
 * 2. Any sign of life brings the tool back: a success, or a permanent error, of any attempt.
 */
import { countOutcome, returnProbe } from '../../breaker/breaker.ts';
import { closeCircuit, openCircuit, settleLease } from '../../breaker/transition.ts';
import type { Observation } from '../../breaker/types.ts';
import type { Permit } from '../types.ts';
import type { AdaptiveGate, Gate } from '../gate-state.ts';
import { endRun, isDown, isStale, mostlyTimedOut, noteFailedCall, noteSuccess, probeIntervalMs } from './failed-calls.ts';
import { addAnswer } from './latest-answers.ts';
import { numbers } from './numbers.ts';
import { earn, resumePace } from './pace.ts';
import { beginAgain, noteAnswer, noteFailure, noteTimeout } from './timeout-limit.ts';
import { forgetSlowness, isOverloaded, isSlow, isUsual, learnCutOff, learnDuration, noteTimeLimit } from './usual-duration.ts';

/** No circuit holds calls back: it is closed, off, or only observes. */
export function isUp({ breaker: { mode, state } }: Gate): boolean {
  return mode === 'auto' ? state === 'closed' : mode !== 'forced_open';
}

/** Attempts whose work counts as load; probes and abandoned work do not. */
export function runningIn({ adaptive, bulkhead: { held, orphaned, reserved } }: AdaptiveGate): number {
  return held - orphaned + reserved - adaptive.probesRunning;
}

/** What the outcome of an attempt changes. `call` identifies the call that made it. */
export function learnOutcome(gate: AdaptiveGate, permit: Permit, observation: Observation, call: object, now: number): void {
  const { adaptive, breaker } = gate;
  const { outcome, durationMs, rateLimited = false, timedOut } = observation;
  settleLease(breaker, now);
  countOutcome(breaker, outcome);
  if (outcome === 'neutral') {
    // A cancellation shows nothing, and the deadline of a turn only that the tool had not answered by then.
    if (timedOut) learnCutOff(adaptive.durations, durationMs);
    return returnProbe(breaker, permit, now);
  }
  const failed = outcome === 'transient' ? 1 : 0;
  adaptive.failureShare += (failed - adaptive.failureShare) * numbers.failureWeight;
  if (permit.cost) adaptive.paidShare += (1 - failed - adaptive.paidShare) * numbers.paidWeight;
  adaptive.rejections = addAnswer(adaptive.rejections, rateLimited);
  if (rateLimited) adaptive.rejectedAt = now;
  if (failed) learnFailure(gate, permit, observation, call, now);
  else learnSignOfLife(gate, permit, observation, now);
}

function learnSignOfLife(gate: AdaptiveGate, { cost = 0 }: Permit, { outcome, durationMs }: Observation, now: number): void {
  const { adaptive, breaker } = gate;
  const { durations, failed, limit, pace } = adaptive;
  if (outcome === 'success') {
    // What was added and succeeds in the usual time has cost the tool nothing that it lacks: only what fails or is slow is paid for by other successes.
    if (isUsual(durations, durationMs)) earn(pace, Math.max(1, cost), gate.bulkhead.queued > 0 ? numbers.workCost : 0);
    learnDuration(durations, durationMs, now, limit.limit < Infinity);
    noteSuccess(failed, now - durationMs, now, breaker.state !== 'closed');
    noteAnswer(limit, runningIn(gate), isSlow(durations), now);
  } else {
    endRun(failed);
    noteFailure(limit);
  }
  if (breaker.state === 'closed') breaker.failureCount = 0;
  else if (breaker.mode === 'auto' || breaker.mode === 'shadow') {
    comeBack(gate, now);
    closeCircuit(breaker, 'probe_succeeded');
  }
}

/** The tool is back: its backlog may leave. Call when the circuit closes, whatever closed it. */
export function comeBack({ adaptive: { durations, failed, limit, pace }, breaker }: AdaptiveGate, now: number): void {
  // A circuit in shadow mode has held nothing, so there is no backlog.
  if (breaker.mode === 'auto') {
    resumePace(pace, now);
    forgetSlowness(durations);
    if (failed.byTimeouts) beginAgain(limit, durations.usualMs / pace.gapMs, now);
  }
  failed.byTimeouts = false;
  failed.probes = 0;
  endRun(failed);
}

function learnFailure(gate: AdaptiveGate, permit: Permit, observation: Observation, call: object, now: number): void {
  const { adaptive, breaker } = gate;
  const { durations, failed, limit, pace } = adaptive;
  const { failureThreshold, openMs } = breaker.settings;
  const { durationMs, retryAfterMs, timedOut = false } = observation;
  if (timedOut) noteTimeLimit(durations, durationMs, now);
  if (isStale(failed, now - durationMs)) {
    // The tool is back and serves later attempts in the usual time, so it is not overloaded: the requests of one caller hang.
    if (timedOut && permit.generation === breaker.generation && !isOverloaded(durations)) limit.limit = Infinity;
    return;
  }
  noteFailedCall(failed, call, observation, failureThreshold, now);
  if (timedOut) {
    // Probes of a tool that is down say nothing about how much it carries.
    if (isUp(gate) && isOverloaded(durations)) noteTimeout(limit, durationMs, runningIn(gate), now);
    learnCutOff(durations, durationMs);
  } else noteFailure(limit);
  if (breaker.mode !== 'auto' && breaker.mode !== 'shadow') return;
  const isFirst = breaker.state === 'closed';
  if (isFirst) {
    breaker.failureCount = failed.calls.length;
    if (!isDown(failed, failureThreshold, now)) return;
    failed.byTimeouts = mostlyTimedOut(failed);
  } else {
    if (!permit.probe) return;
    failed.byTimeouts = timedOut;
    failed.probes += 1;
  }
  const nextProbeMs = probeIntervalMs(failed, observation, openMs, pace.gapMs);
  if (isFirst || (breaker.probeOut && permit.probeNumber === breaker.probeNumber)) {
    if (!isFirst) breaker.failureCount += 1;
    breaker.openMs = nextProbeMs;
    openCircuit(breaker, isFirst ? 'failure_threshold' : 'probe_failed', now);
  } else if (retryAfterMs !== undefined && breaker.state === 'open') {
    // A probe has failed after its lease. The next one may have started already; what the server asks for holds all the same.
    breaker.openUntil = Math.max(breaker.openUntil, now + nextProbeMs);
  }
}

/** A probe has ended, or its work was abandoned. */
export function probeEnded({ adaptive }: AdaptiveGate): void {
  // The settings of the gate may have changed since it started.
  adaptive.probesRunning = Math.max(0, adaptive.probesRunning - 1);
}
