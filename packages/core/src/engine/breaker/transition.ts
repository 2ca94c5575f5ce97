/**
 * The changes of state. Owns what every transition clears and sets, and the list of those that were not reported yet; does not decide when to change.
 *
 * 1. Every change begins a new generation, so permits issued before it no longer change anything.
 * 2. Every change takes back the probe and restarts the counts of probes and of the rate window.
 */
import { fillWindow } from './rolling-window.ts';
import type { Breaker, CircuitState, CircuitTransition, TransitionReason } from './types.ts';
import { waitMs } from './wait.ts';

const none: readonly CircuitTransition[] = Object.freeze([]);

/** Takes the changes of state since the call before, each of which begins where the one before it ended. */
export function takeChanges(breaker: Breaker): readonly CircuitTransition[] {
  const { changes } = breaker;
  if (changes.length === 0) return none;
  breaker.changes = [];
  return changes;
}

/** Makes all permits issued so far stale. */
export function startGeneration(breaker: Breaker, generation: number = breaker.generation + 1): void {
  breaker.generation = generation;
  breaker.probeOut = false;
}

export function closeCircuit(breaker: Breaker, reason: TransitionReason): void {
  breaker.failureCount = 0;
  enter(breaker, 'closed', reason);
}

export function halfOpenCircuit(breaker: Breaker): void {
  enter(breaker, 'half_open', 'open_period_elapsed');
}

export function openCircuit(breaker: Breaker, reason: TransitionReason, now: number, openUntil: number = now + breaker.openMs): void {
  breaker.openUntil = Math.max(openUntil, breaker.holdUntil);
  breaker.counters.opened += 1;
  enter(breaker, 'open', reason, waitMs(breaker.openUntil, now));
}

/** A probe whose lease has ended has failed; the open period began when the lease ended, noticed or not. */
export function settleLease(breaker: Breaker, now: number): void {
  if (!breaker.probeOut || now < breaker.leaseUntil) return;
  breaker.failureCount += 1;
  openCircuit(breaker, 'probe_lease_expired', now, afterLease(breaker));
}

/** When a circuit whose probe's lease ends stops being open. */
export function afterLease({ leaseUntil, openMs }: Breaker): number {
  return leaseUntil + openMs;
}

function enter(breaker: Breaker, to: CircuitState, reason: TransitionReason, openForMs?: number): void {
  const { failureCount, state: from } = breaker;
  breaker.state = to;
  breaker.probeSuccesses = breaker.permanentProbes = 0;
  if (breaker.window) fillWindow(breaker.window, [], -Infinity);
  startGeneration(breaker);
  breaker.changes.push({ from, to, reason, failureCount, ...(openForMs !== undefined && { openForMs }) });
}
