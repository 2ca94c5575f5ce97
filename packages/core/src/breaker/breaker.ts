/**
 * The circuit breaker of one tool: who may call, and what an outcome changes.
 * Owns the automatic life of a circuit (closed, open, half-open). Manual control is in control.ts, saving in snapshot.ts.
 *
 * 1. Nothing is admitted while open; exactly one probe is out while half-open; nobody waits behind it.
 * 2. Only `transient` counts against the dependency. `permanent` says that it answered; `neutral` says nothing.
 * 3. An outcome moves the state only if its permit belongs to the present generation.
 * 4. A probe has a lease: after it the probe has failed, and its slot is free for the next one.
 * 5. Time is an argument. No timer, no wall clock; every function is O(1).
 */
import { detectRate, windowFor } from './rate-detector.ts';
import { completeBreakerSettings } from './settings.ts';
import { closeCircuit, halfOpenCircuit, openCircuit, passingFor, settleLease } from './transition.ts';
import type {
  Breaker,
  BreakerSettings,
  CircuitAdmission,
  CircuitPermit,
  CircuitRefusal,
  CircuitState,
  CircuitTransition,
  Observation,
  OutcomeKind,
} from './types.ts';
import { waitMs } from './wait.ts';

/** Given to calls whose outcome must not move the state: the circuit is disabled, or would have refused them. */
const untracked: CircuitAdmission = passingFor(-1);

/**
 * A closed circuit.
 * @throws TypeError or RangeError when a setting is not usable.
 */
export function createBreaker(settings: Partial<BreakerSettings> = {}): Breaker {
  const complete = completeBreakerSettings(settings);
  return {
    settings: complete,
    mode: 'auto',
    state: 'closed',
    generation: 0,
    failureCount: 0,
    openUntil: Number.NEGATIVE_INFINITY,
    holdUntil: Number.NEGATIVE_INFINITY,
    probeOut: false,
    leaseUntil: Number.NEGATIVE_INFINITY,
    probeNumber: 0,
    probeSuccesses: 0,
    permanentProbes: 0,
    passing: passingFor(0),
    window: windowFor(complete.rate),
    counters: { success: 0, transient: 0, permanent: 0, neutral: 0, stale: 0, opened: 0 },
  };
}

/** The state at `now`, time passed included. A forced-open circuit is `open`, a disabled one `closed`. */
export function circuitState(breaker: Breaker, now: number): CircuitState {
  if (breaker.mode === 'forced_open') return 'open';
  if (breaker.mode === 'disabled' || breaker.state === 'closed') return 'closed';
  const openUntil = openUntilAt(breaker, now);
  if (openUntil === undefined) return 'half_open';
  return now >= openUntil ? 'half_open' : 'open';
}

/** Whether calls pass freely: no state to check and no probe to take. */
export function isPassing(breaker: Breaker): boolean {
  return (breaker.state === 'closed' && breaker.mode !== 'forced_open') || breaker.mode === 'disabled';
}

/** The refusal a call would meet at `now`. Takes nothing and changes nothing. */
export function peek(breaker: Breaker, now: number): CircuitRefusal | undefined {
  if (breaker.mode === 'forced_open') return { code: 'CIRCUIT_OPEN', source: 'forced_open' };
  if (isPassing(breaker) || breaker.mode === 'shadow') return undefined;
  return automaticRefusal(breaker, now);
}

/** Asks for the right to make one attempt. A permit must come back through `record` or `returnProbe`. */
export function tryAcquire(breaker: Breaker, now: number, leastLeaseMs = 0): CircuitAdmission {
  if (breaker.state === 'closed' && (breaker.mode === 'auto' || breaker.mode === 'shadow')) return breaker.passing;
  if (breaker.mode === 'disabled') return untracked;
  if (breaker.mode === 'forced_open') return { kind: 'refused', refusal: { code: 'CIRCUIT_OPEN', source: 'forced_open' } };
  const expired = settleLease(breaker, now);
  const refusal = automaticRefusal(breaker, now);
  if (refusal === undefined) return startProbe(breaker, now, leastLeaseMs, expired);
  if (breaker.mode === 'shadow') return expired === undefined ? untracked : { ...untracked, transition: expired };
  return expired === undefined ? { kind: 'refused', refusal } : { kind: 'refused', refusal, transition: expired };
}

/** Tells the circuit how an attempt ended. Answers the change of state it made, if any. */
export function record(breaker: Breaker, permit: CircuitPermit, observation: Observation, now: number): CircuitTransition | undefined {
  const expired = settleLease(breaker, now);
  count(breaker, observation.outcome);
  if (observation.retryAfterMs !== undefined && observation.outcome !== 'neutral') {
    holdUntil(breaker, now + observation.retryAfterMs, now);
  }
  if (!isLive(breaker, permit)) {
    breaker.counters.stale += 1;
    return expired;
  }
  return breaker.state === 'closed' ? recordCall(breaker, observation, now) : recordProbe(breaker, observation, now);
}

/** Gives a probe back unused, so that the next caller may be it; after its lease it has failed all the same. Ignores other permits. */
export function returnProbe(breaker: Breaker, permit: CircuitPermit, now: number): CircuitTransition | undefined {
  if (!permit.probe) return undefined;
  const expired = settleLease(breaker, now);
  if (isLive(breaker, permit)) breaker.probeOut = false;
  return expired;
}

/** The server asked for quiet until then: an open circuit stays open as long, a closed one does not open for it. */
export function holdUntil(breaker: Breaker, until: number, now: number): void {
  if (!Number.isFinite(until) || until <= breaker.holdUntil) return;
  breaker.holdUntil = until;
  if (breaker.state === 'open' && now < breaker.openUntil && until > breaker.openUntil) breaker.openUntil = until;
}

/** Whether the server's wait is still running. A circuit in shadow mode only watches, so it holds nobody. */
export function isHeld(breaker: Breaker, now: number): boolean {
  return now < breaker.holdUntil && breaker.mode !== 'shadow';
}

/** A switch, since a computed property name costs more than all the rest of a closed circuit's work. */
function count(breaker: Breaker, outcome: OutcomeKind): void {
  switch (outcome) {
    case 'success':
      breaker.counters.success += 1;
      return;
    case 'transient':
      breaker.counters.transient += 1;
      return;
    case 'permanent':
      breaker.counters.permanent += 1;
      return;
    case 'neutral':
      breaker.counters.neutral += 1;
  }
}

function recordCall(breaker: Breaker, observation: Observation, now: number): CircuitTransition | undefined {
  if (observation.outcome === 'neutral') return undefined;
  if (observation.outcome !== 'transient') breaker.failureCount = 0;
  if (observation.outcome === 'permanent') return undefined;
  if (observation.outcome === 'transient') {
    breaker.failureCount += 1;
    if (breaker.failureCount >= breaker.settings.failureThreshold) return openCircuit(breaker, 'failure_threshold', now, now);
  }
  const detected = detectRate(breaker, observation, now);
  return detected === undefined ? undefined : openCircuit(breaker, detected, now, now);
}

function recordProbe(breaker: Breaker, observation: Observation, now: number): CircuitTransition | undefined {
  breaker.probeOut = false;
  switch (observation.outcome) {
    case 'transient':
      breaker.failureCount += 1;
      return openCircuit(breaker, 'probe_failed', now, now);
    case 'success':
      breaker.permanentProbes = 0;
      breaker.probeSuccesses += 1;
      return breaker.probeSuccesses >= breaker.settings.successThreshold ? closeCircuit(breaker, 'probe_succeeded') : undefined;
    case 'permanent':
      breaker.permanentProbes += 1;
      return breaker.permanentProbes >= breaker.settings.permanentProbeLimit ? closeCircuit(breaker, 'permanent_probes') : undefined;
    case 'neutral':
      return undefined;
  }
}

function startProbe(breaker: Breaker, now: number, leastLeaseMs: number, expired: CircuitTransition | undefined): CircuitAdmission {
  const transition = breaker.state === 'open' ? halfOpenCircuit(breaker) : undefined;
  breaker.probeOut = true;
  breaker.probeNumber += 1;
  breaker.leaseUntil = now + Math.max(breaker.settings.probeLeaseMs, leastLeaseMs);
  const permit: CircuitPermit = { generation: breaker.generation, probe: true, probeNumber: breaker.probeNumber };
  return {
    kind: 'permit',
    permit,
    ...(transition === undefined ? {} : { transition }),
    ...(expired === undefined ? {} : { earlierTransition: expired }),
  };
}

function automaticRefusal(breaker: Breaker, now: number): CircuitRefusal | undefined {
  const openUntil = openUntilAt(breaker, now);
  if (openUntil !== undefined) {
    return now >= openUntil ? undefined : { code: 'CIRCUIT_OPEN', source: 'circuit', retryAfterMs: waitMs(openUntil, now) };
  }
  if (!breaker.probeOut) return undefined;
  return { code: 'CIRCUIT_OPEN', source: 'probe_in_progress', retryAfterMs: waitMs(breaker.leaseUntil, now) };
}

/** When the open period ends, lapsed leases included; undefined while half-open. */
function openUntilAt(breaker: Breaker, now: number): number | undefined {
  if (breaker.state === 'open') return breaker.openUntil;
  if (!breaker.probeOut || now < breaker.leaseUntil) return undefined;
  return Math.max(breaker.leaseUntil + breaker.settings.openMs, breaker.holdUntil);
}

function isLive(breaker: Breaker, permit: CircuitPermit): boolean {
  if (permit.generation !== breaker.generation || (breaker.mode !== 'auto' && breaker.mode !== 'shadow')) return false;
  return permit.probe ? breaker.probeOut && permit.probeNumber === breaker.probeNumber : breaker.state === 'closed';
}
