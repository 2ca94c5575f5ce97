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
import { detectorFor, windowFor } from './rate-detector.ts';
import type { RollingWindow } from './rolling-window.ts';
import { completeBreakerSettings } from './settings.ts';
import { admission, afterLease, closeCircuit, halfOpenCircuit, openCircuit, passingFor, settleLease } from './transition.ts';
import type {
  Breaker,
  BreakerSettings,
  CircuitAdmission,
  CircuitPermit,
  CircuitRefusal,
  CircuitState,
  CircuitTransition,
  Detect,
  Observation,
  OutcomeKind,
} from './types.ts';
import { waitMs } from './wait.ts';

export { heldMs, holdUntil, isHeld } from './hold.ts';

/** For calls whose outcome must not change the state: the circuit is disabled, or would have refused them. */
const untracked: CircuitAdmission & { readonly kind: 'permit' } = passingFor(-1);

/**
 * A closed circuit.
 * @throws TypeError or RangeError when a setting is invalid.
 */
export function createBreaker(settings: Partial<BreakerSettings> = {}): Breaker {
  const complete = completeBreakerSettings(settings);
  const { rate } = complete;
  return createCircuit(complete, detectorFor(complete), rate && windowFor(rate));
}

/** A closed circuit with complete settings, and with the second detector if one is given. */
export function createCircuit(settings: BreakerSettings, detect?: Detect, window?: RollingWindow): Breaker {
  return {
    settings,
    mode: 'auto',
    state: 'closed',
    generation: 0,
    failureCount: 0,
    openUntil: -Infinity,
    holdUntil: -Infinity,
    holdMs: 0,
    holdAskedAt: -Infinity,
    probeOut: false,
    leaseUntil: -Infinity,
    probeNumber: 0,
    probeSuccesses: 0,
    permanentProbes: 0,
    passing: passingFor(0),
    detect,
    window,
    openMs: settings.openMs,
    counters: { success: 0, transient: 0, permanent: 0, neutral: 0, stale: 0, opened: 0 },
  };
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

/** Requests the right to make one attempt. A permit must come back through `record` or `returnProbe`. */
export function tryAcquire(breaker: Breaker, now: number, minLeaseMs = 0): CircuitAdmission {
  const { mode } = breaker;
  if (isPassing(breaker)) return mode === 'disabled' ? untracked : breaker.passing;
  const expired = mode === 'forced_open' ? undefined : settleLease(breaker, now);
  const refusal = refusalAt(breaker, now);
  if (!refusal) return startProbe(breaker, now, minLeaseMs, expired);
  if (mode === 'shadow') return admission(untracked.permit, expired);
  return { kind: 'refused', permit: undefined, refusal, transition: expired, earlierTransition: undefined };
}

/** Records how an attempt ended. Returns the change of state it caused, if any. */
export function record(breaker: Breaker, permit: CircuitPermit, observation: Observation, now: number): CircuitTransition | undefined {
  const { outcome } = observation;
  const expired = settleLease(breaker, now);
  countOutcome(breaker, outcome);
  observeHold(breaker, observation, now);
  if (isLive(breaker, permit))
    return breaker.state === 'closed' ? recordCall(breaker, observation, now) : recordProbe(breaker, outcome, now);
  breaker.counters.stale += 1;
  return expired;
}

/** Returns an unused probe, so that the next caller can be it; after its lease it has failed all the same. Ignores other permits. */
export function returnProbe(breaker: Breaker, permit: CircuitPermit, now: number): CircuitTransition | undefined {
  if (!permit.probe) return undefined;
  const expired = settleLease(breaker, now);
  if (isLive(breaker, permit)) breaker.probeOut = false;
  return expired;
}

/** Counts an outcome for statistics. Field by field, since a computed property name costs more than the rest of a closed circuit's work. */
export function countOutcome({ counters }: Breaker, outcome: OutcomeKind): void {
  if (outcome === 'success') counters.success += 1;
  else if (outcome === 'transient') counters.transient += 1;
  else if (outcome === 'permanent') counters.permanent += 1;
  else counters.neutral += 1;
}

function recordCall(breaker: Breaker, observation: Observation, now: number): CircuitTransition | undefined {
  const { outcome } = observation;
  if (outcome === 'neutral') return undefined;
  breaker.failureCount = outcome === 'transient' ? breaker.failureCount + 1 : 0;
  if (outcome === 'permanent') return undefined;
  if (breaker.failureCount >= breaker.settings.failureThreshold) return openCircuit(breaker, 'failure_threshold', now);
  const detected = breaker.detect?.(breaker, observation, now);
  return detected && openCircuit(breaker, detected, now);
}

function recordProbe(breaker: Breaker, outcome: OutcomeKind, now: number): CircuitTransition | undefined {
  const { successThreshold, permanentProbeLimit } = breaker.settings;
  breaker.probeOut = false;
  if (outcome === 'transient') {
    breaker.failureCount += 1;
    return openCircuit(breaker, 'probe_failed', now);
  }
  if (outcome === 'success') {
    breaker.permanentProbes = 0;
    breaker.probeSuccesses += 1;
    if (breaker.probeSuccesses >= successThreshold) return closeCircuit(breaker, 'probe_succeeded');
  } else if (outcome === 'permanent') {
    breaker.permanentProbes += 1;
    if (breaker.permanentProbes >= permanentProbeLimit) return closeCircuit(breaker, 'permanent_probes');
  }
  return undefined;
}

function startProbe(breaker: Breaker, now: number, minLeaseMs: number, expired: CircuitTransition | undefined): CircuitAdmission {
  const transition = breaker.state === 'open' ? halfOpenCircuit(breaker) : undefined;
  breaker.probeOut = true;
  breaker.probeNumber += 1;
  breaker.leaseUntil = now + Math.max(breaker.settings.probeLeaseMs, minLeaseMs);
  return admission({ generation: breaker.generation, probe: true, probeNumber: breaker.probeNumber }, transition, expired);
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
