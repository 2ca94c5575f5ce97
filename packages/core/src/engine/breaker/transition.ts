/**
 * The changes of state. Owns what every transition clears and sets; does not decide when to change.
 *
 * 1. Every change begins a new generation, so permits issued before it no longer change anything.
 * 2. Every change takes back the probe and restarts the counts of probes and of the rate window.
 */
import { clearWindow } from './rolling-window.ts';
import type { Breaker, CircuitAdmission, CircuitPermit, CircuitState, CircuitTransition, TransitionReason } from './types.ts';
import { waitMs } from './wait.ts';

export function admission(
  permit: CircuitPermit,
  transition?: CircuitTransition,
  earlierTransition?: CircuitTransition,
): CircuitAdmission & { readonly kind: 'permit' } {
  return { kind: 'permit', permit, refusal: undefined, transition, earlierTransition };
}

/** For calls that pass freely. With generation -1, their outcome must not change the state. */
export function passingFor(generation: number): CircuitAdmission & { readonly kind: 'permit' } {
  return Object.freeze(admission(Object.freeze({ generation, probe: false, probeNumber: 0 })));
}

/** Makes all permits issued so far stale. */
export function startGeneration(breaker: Breaker, generation: number = breaker.generation + 1): void {
  breaker.generation = generation;
  breaker.passing = passingFor(generation);
  breaker.probeOut = false;
}

export function closeCircuit(breaker: Breaker, reason: TransitionReason): CircuitTransition {
  breaker.failureCount = 0;
  return enter(breaker, 'closed', reason);
}

export function halfOpenCircuit(breaker: Breaker): CircuitTransition {
  return enter(breaker, 'half_open', 'open_period_elapsed');
}

export function openCircuit(
  breaker: Breaker,
  reason: TransitionReason,
  now: number,
  openUntil: number = now + breaker.openMs,
): CircuitTransition {
  breaker.openUntil = Math.max(openUntil, breaker.holdUntil);
  breaker.counters.opened += 1;
  return { ...enter(breaker, 'open', reason), openForMs: waitMs(breaker.openUntil, now) };
}

/** A probe whose lease has ended has failed; the open period began when the lease ended, noticed or not. */
export function settleLease(breaker: Breaker, now: number): CircuitTransition | undefined {
  if (!breaker.probeOut || now < breaker.leaseUntil) return undefined;
  breaker.failureCount += 1;
  return openCircuit(breaker, 'probe_lease_expired', now, afterLease(breaker));
}

/** When a circuit whose probe's lease ends stops being open. */
export function afterLease({ leaseUntil, openMs }: Breaker): number {
  return leaseUntil + openMs;
}

function enter(breaker: Breaker, to: CircuitState, reason: TransitionReason): CircuitTransition {
  const from = breaker.state;
  breaker.state = to;
  breaker.probeSuccesses = breaker.permanentProbes = 0;
  if (breaker.window) clearWindow(breaker.window);
  startGeneration(breaker);
  return { from, to, reason, failureCount: breaker.failureCount };
}
