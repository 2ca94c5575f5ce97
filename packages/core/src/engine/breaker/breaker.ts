/**
 * Owns the circuit breaker of one tool: which calls may start, and how their outcomes change its state.
 * Owns the automatic life of a circuit (closed, open, half-open). Manual control is in control.ts, saving in snapshot.ts, a server's Retry-After in hold.ts.
 *
 * 1. No call is admitted while open; exactly one probe is in flight while half-open; no call queues behind it.
 * 2. Only `transient` counts against the dependency. `permanent` means that the dependency answered; `neutral` shows nothing.
 * 3. An outcome changes the state only if its permit belongs to the current generation.
 * 4. A probe has a lease: when it ends, the probe has failed and its slot is free for the next one.
 * 5. Time is an argument. No timer, no wall clock; every function is O(1).
 */
import { observeHold } from './hold.ts';
import { useRate } from './rate-detector.ts';
import { completeBreakerSettings } from './settings.ts';
import { afterLease, closeCircuit, halfOpenCircuit, openCircuit, settleLease } from './transition.ts';
import {
  Breaker,
  type BreakerSettings,
  type CircuitAdmission,
  type CircuitPermit,
  type CircuitRefusal,
  type CircuitState,
  type Observation,
  type OutcomeKind,
} from './types.ts';
import { waitMs } from './wait.ts';

export { heldMs, holdUntil, isHeld } from './hold.ts';

/** Between the time limit of a probe and the end of its lease. */
const PROBE_GRACE_MS = 1_000;

/**
 * A closed circuit. Its changes of state collect in it: see `takeChanges`.
 * @throws TypeError or RangeError when a setting is invalid.
 */
export function createBreaker(settings: Partial<BreakerSettings> = {}): Breaker {
  const breaker = new Breaker(completeBreakerSettings(settings));
  useRate(breaker, breaker.settings.rate);
  return breaker;
}

/** The state at `now`, including the effect of the time that has passed. A forced-open circuit is `open`, a disabled one `closed`. */
export function circuitState(breaker: Breaker, now: number): CircuitState {
  if (isPassing(breaker)) return 'closed';
  if (breaker.mode === 'forced_open') return 'open';
  return now < (openUntilAt(breaker, now) ?? -Infinity) ? 'open' : 'half_open';
}

/** Whether calls pass freely: no state to check and no probe to take. */
export function isPassing({ state, mode }: Breaker): boolean {
  return (state === 'closed' && mode !== 'forced_open') || mode === 'disabled';
}

/** The refusal a call would get at `now`. Takes nothing and changes nothing. */
export function peek(breaker: Breaker, now: number): CircuitRefusal | undefined {
  return isPassing(breaker) || breaker.mode === 'shadow' ? undefined : refusalAt(breaker, now);
}

/**
 * Requests the right to make one attempt. A permit must come back through `record` or `returnProbe`.
 * @param timeLimitMs of the attempt: a probe's lease outlasts it
 */
export function tryAcquire(breaker: Breaker, now: number, timeLimitMs: number = Infinity): CircuitAdmission {
  const { generation, mode } = breaker;
  if (isPassing(breaker)) return passing(mode === 'disabled' ? untracked : generation);
  if (mode !== 'forced_open') settleLease(breaker, now);
  const refusal = refusalAt(breaker, now);
  if (!refusal) return { kind: 'permit', permit: startProbe(breaker, now, timeLimitMs) };
  return mode === 'shadow' ? passing(untracked) : { kind: 'refused', refusal };
}

/** Records how an attempt ended. */
export function record(breaker: Breaker, permit: CircuitPermit, observation: Observation, now: number): void {
  const { outcome } = observation;
  settleLease(breaker, now);
  countOutcome(breaker, outcome);
  observeHold(breaker, observation, now);
  if (!isLive(breaker, permit)) breaker.counters.stale += 1;
  else if (breaker.state === 'closed') recordCall(breaker, observation, now);
  else recordProbe(breaker, outcome, now);
}

/** Returns an unused probe, so that the next caller can be it; after its lease it has failed all the same. Ignores other permits. */
export function returnProbe(breaker: Breaker, permit: CircuitPermit, now: number): void {
  if (!permit.probe) return;
  settleLease(breaker, now);
  if (isLive(breaker, permit)) breaker.probeOut = false;
}

/** Counts an outcome for statistics. Field by field, since a computed property name costs more than the rest of a closed circuit's work. */
export function countOutcome({ counters }: Breaker, outcome: OutcomeKind): void {
  if (outcome === 'success') counters.success += 1;
  else if (outcome === 'transient') counters.transient += 1;
  else if (outcome === 'permanent') counters.permanent += 1;
  else counters.neutral += 1;
}

function recordCall(breaker: Breaker, observation: Observation, now: number): void {
  const { outcome } = observation;
  if (outcome === 'neutral') return;
  breaker.failureCount = outcome === 'transient' ? breaker.failureCount + 1 : 0;
  if (outcome === 'permanent') return;
  if (breaker.failureCount >= breaker.settings.failureThreshold) return openCircuit(breaker, 'failure_threshold', now);
  const detected = breaker.detect?.(observation, now);
  if (detected) openCircuit(breaker, detected, now);
}

function recordProbe(breaker: Breaker, outcome: OutcomeKind, now: number): void {
  const { successThreshold, permanentProbeLimit } = breaker.settings;
  breaker.probeOut = false;
  if (outcome === 'transient') {
    breaker.failureCount += 1;
    openCircuit(breaker, 'probe_failed', now);
  } else if (outcome === 'success') {
    breaker.permanentProbes = 0;
    breaker.probeSuccesses += 1;
    if (breaker.probeSuccesses >= successThreshold) closeCircuit(breaker, 'probe_succeeded');
  } else if (outcome === 'permanent') {
    breaker.permanentProbes += 1;
    if (breaker.permanentProbes >= permanentProbeLimit) closeCircuit(breaker, 'permanent_probes');
  }
}

function startProbe(breaker: Breaker, now: number, timeLimitMs: number): CircuitPermit {
  if (breaker.state === 'open') halfOpenCircuit(breaker);
  const leastMs = timeLimitMs < Infinity ? timeLimitMs + PROBE_GRACE_MS : 0;
  breaker.probeOut = true;
  breaker.probeNumber += 1;
  breaker.leaseUntil = now + Math.max(breaker.settings.probeLeaseMs, leastMs);
  return { generation: breaker.generation, probe: true, probeNumber: breaker.probeNumber };
}

/** The generation of calls whose outcome must not change the state: the circuit is disabled, or would have refused them. */
const untracked = -1;

function passing(generation: number): CircuitAdmission {
  return { kind: 'permit', permit: { generation, probe: false, probeNumber: 0 } };
}

function refusalAt(breaker: Breaker, now: number): CircuitRefusal | undefined {
  if (breaker.mode === 'forced_open') return { code: 'CIRCUIT_OPEN', source: 'forced_open' };
  const openUntil = openUntilAt(breaker, now);
  const until = openUntil ?? (breaker.probeOut ? breaker.leaseUntil : now);
  if (now >= until) return undefined;
  return { code: 'CIRCUIT_OPEN', source: openUntil === undefined ? 'probe_in_progress' : 'circuit', retryAfterMs: waitMs(until, now) };
}

/** When the open period ends, ended leases included; undefined while half-open. */
function openUntilAt(breaker: Breaker, now: number): number | undefined {
  if (breaker.state === 'open') return breaker.openUntil;
  if (!breaker.probeOut || now < breaker.leaseUntil) return undefined;
  return Math.max(afterLease(breaker), breaker.holdUntil);
}

function isLive(breaker: Breaker, { generation, probe, probeNumber }: CircuitPermit): boolean {
  if (generation !== breaker.generation || breaker.mode === 'forced_open' || breaker.mode === 'disabled') return false;
  return probe ? breaker.probeOut && probeNumber === breaker.probeNumber : breaker.state === 'closed';
}
