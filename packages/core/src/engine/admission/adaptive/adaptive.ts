/**
 * Owns what outcomes change in a gate whose calls wait for their tool to recover (profile `adaptive`): when the tool is down, when it is back,
 * and what the parts learn. The parts are beside this file; the state is in `state.ts`, admission in `admit.ts`, waking in `pump.ts`.
 *
 * 1. The layer slows only what it adds. A first attempt starts at once unless several calls have proved that the tool is down, or time-outs that it is overloaded.
 * 2. Any sign of life brings the tool back: a success, or a permanent error, of any attempt.
 */
import { countOutcome, returnProbe } from '../../breaker/breaker.ts';
import { closeCircuit, openCircuit, settleLease } from '../../breaker/transition.ts';
import type { CircuitTransition, Observation } from '../../breaker/types.ts';
import type { Gate, Permit } from '../types.ts';
import { endRun, isDown, isStale, mostlyTimedOut, noteFailedCall, noteSuccess, probeIntervalMs } from './failed-calls.ts';
import { addAnswer } from './latest-answers.ts';
import { numbers } from './numbers.ts';
import { earn, resumePace } from './pace.ts';
import type { Adaptive } from './state.ts';
import { beginAgain, noteAnswer, noteFailure, noteTimeout } from './timeout-limit.ts';
import {
  forgetSlowness,
  isNew,
  isOverloaded,
  isSlow,
  isUsual,
  learnCutOff,
  learnDuration,
  learnRecent,
  noteTimeLimit,
} from './usual-duration.ts';

/** No circuit holds calls back: it is closed, off, or only observes. */
export function isUp({ breaker: { mode, state } }: Gate): boolean {
  return mode === 'auto' ? state === 'closed' : mode !== 'forced_open';
}

/** Attempts whose work counts as load; probes and abandoned work do not. */
export function runningIn({ bulkhead: { held, orphaned, reserved } }: Gate, { probesRunning }: Adaptive): number {
  return held - orphaned + reserved - probesRunning;
}

/** What the outcome of an attempt changes. `call` identifies the call that made it. */
export function learnOutcome(
  gate: Gate,
  adaptive: Adaptive,
  permit: Permit,
  observation: Observation,
  call: object,
  now: number,
): readonly CircuitTransition[] {
  const { breaker } = gate;
  const { outcome } = observation;
  const expired = settleLease(breaker, now);
  countOutcome(breaker, outcome);
  if (outcome !== 'neutral') {
    adaptive.rejections = addAnswer(adaptive.rejections, observation.rateLimited === true);
    if (observation.rateLimited) adaptive.rejectedAt = now;
    if (permit.cost) learnPaid(adaptive, outcome !== 'transient');
  }
  const changed =
    outcome === 'transient'
      ? learnFailure(gate, adaptive, permit, observation, call, now)
      : outcome === 'neutral'
        ? learnNothing(gate, adaptive, permit, observation, now)
        : learnSignOfLife(gate, adaptive, permit, observation, now);
  return [expired, changed].filter((transition) => transition !== undefined);
}

function learnPaid(adaptive: Adaptive, succeeded: boolean): void {
  adaptive.paidShare += ((succeeded ? 1 : 0) - adaptive.paidShare) * numbers.paidWeight;
}

/** A cancellation shows nothing, and the deadline of a turn only that the tool had not answered by then. */
function learnNothing(
  { breaker }: Gate,
  { durations }: Adaptive,
  permit: Permit,
  { durationMs, timedOut }: Observation,
  now: number,
): CircuitTransition | undefined {
  if (timedOut) learnCutOff(durations, durationMs);
  return returnProbe(breaker, permit, now);
}

function learnSignOfLife(
  gate: Gate,
  adaptive: Adaptive,
  { cost = 0 }: Permit,
  { outcome, durationMs }: Observation,
  now: number,
): CircuitTransition | undefined {
  const { breaker } = gate;
  const { durations, failed, limit, pace } = adaptive;
  adaptive.failureShare -= adaptive.failureShare * numbers.failureWeight;
  if (outcome === 'success') {
    // What was added and succeeds in the usual time has cost the tool nothing that it lacks: only what fails or is slow is paid for by other successes.
    if (isUsual(durations, durationMs)) earn(pace, Math.max(1, cost));
    if (limit.limit === Infinity || isNew(durations)) learnDuration(durations, durationMs, now);
    else learnRecent(durations, durationMs);
    noteSuccess(failed, now - durationMs, now, breaker.state !== 'closed');
    noteAnswer(limit, runningIn(gate, adaptive), isSlow(durations), now);
  } else {
    endRun(failed);
    noteFailure(limit);
  }
  if (breaker.state === 'closed') breaker.failureCount = 0;
  else if (breaker.mode === 'auto' || breaker.mode === 'shadow') {
    comeBack(gate, adaptive, now);
    return closeCircuit(breaker, 'probe_succeeded');
  }
  return undefined;
}

/** The tool is back: its backlog may leave. Call when the circuit closes, whatever closed it. */
export function comeBack({ breaker: { mode } }: Gate, { durations, failed, limit, pace }: Adaptive, now: number): void {
  // A circuit in shadow mode has held nothing, so there is no backlog.
  if (mode === 'auto') {
    resumePace(pace, now);
    forgetSlowness(durations);
    if (failed.byTimeouts) beginAgain(limit, durations.usualMs / pace.gapMs, now);
  }
  failed.byTimeouts = false;
  failed.probes = 0;
  endRun(failed);
}

function learnFailure(
  gate: Gate,
  adaptive: Adaptive,
  permit: Permit,
  observation: Observation,
  call: object,
  now: number,
): CircuitTransition | undefined {
  const { breaker } = gate;
  const { failed, limit } = adaptive;
  const { failureThreshold } = breaker.settings;
  const { durationMs, timedOut = false } = observation;
  adaptive.failureShare += (1 - adaptive.failureShare) * numbers.failureWeight;
  if (timedOut) noteTimeLimit(adaptive.durations, durationMs, now);
  if (isStale(failed, now - durationMs)) return undefined;
  noteFailedCall(failed, call, observation, failureThreshold, now);
  if (timedOut) {
    // Probes of a tool that is down say nothing about how much it carries.
    if (isUp(gate) && isOverloaded(adaptive.durations)) noteTimeout(limit, durationMs, runningIn(gate, adaptive), now);
    learnCutOff(adaptive.durations, durationMs);
  } else noteFailure(limit);
  if (breaker.mode !== 'auto' && breaker.mode !== 'shadow') return undefined;
  if (breaker.state !== 'closed') {
    if (!permit.probe) return undefined;
    failed.byTimeouts = timedOut;
    failed.probes += 1;
    if (!breaker.probeOut || permit.probeNumber !== breaker.probeNumber) return holdNextProbe(gate, adaptive, observation, now);
    breaker.failureCount += 1;
    return goDown(gate, adaptive, 'probe_failed', observation, now);
  }
  breaker.failureCount = failed.calls.length;
  if (!isDown(failed, failureThreshold, now)) return undefined;
  failed.byTimeouts = mostlyTimedOut(failed);
  return goDown(gate, adaptive, 'failure_threshold', observation, now);
}

/** A probe has failed after its lease. The next one may have started already; what the server asks for holds all the same. */
function holdNextProbe(gate: Gate, adaptive: Adaptive, observation: Observation, now: number): undefined {
  const { breaker } = gate;
  if (observation.retryAfterMs === undefined || breaker.state !== 'open') return;
  breaker.openUntil = Math.max(breaker.openUntil, now + nextProbeMs(gate, adaptive, observation));
}

/** A probe has started. One that hangs holds the next one back for a while, not until its time limit. */
export function probeStarted({ breaker }: Gate, adaptive: Adaptive, now: number): void {
  const { durations } = adaptive;
  adaptive.probesRunning += 1;
  breaker.leaseUntil = now + Math.max(breaker.openMs / 2, numbers.hanging * durations.usualMs);
}

/** A probe has ended, or its work was abandoned. */
export function probeEnded(adaptive: Adaptive): void {
  // The settings of the gate may have changed since it started.
  adaptive.probesRunning = Math.max(0, adaptive.probesRunning - 1);
}

function nextProbeMs({ breaker }: Gate, { failed, pace }: Adaptive, observation: Observation): number {
  return probeIntervalMs(failed, observation, breaker.settings.openMs, pace.gapMs);
}

function goDown(
  gate: Gate,
  adaptive: Adaptive,
  reason: 'failure_threshold' | 'probe_failed',
  observation: Observation,
  now: number,
): CircuitTransition {
  gate.breaker.openMs = nextProbeMs(gate, adaptive, observation);
  return openCircuit(gate.breaker, reason, now);
}
