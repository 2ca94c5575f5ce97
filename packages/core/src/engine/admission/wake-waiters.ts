/**
 * Owns waking: which waiters of a gate continue, and when to look again.
 *
 * 1. Calls that wait for a slot alone are turned away once the circuit is no longer closed; until then, as many are woken as there are free slots.
 * 2. Where calls wait for recovery, `adaptive/pump.ts` decides.
 * 3. `wakeAt` is when `wakeWaiters` would wake a call if nothing else happens: a driver that calls it then, and after every step, misses no waiter.
 * 4. No call waits for a circuit that an operator keeps open.
 */
import { circuitState, isHeld } from '../breaker/breaker.ts';
import { nextPumpAt, pump } from './adaptive/pump.ts';
import { hasFreeSlot, turnAllAway, wake } from './bulkhead.ts';
import { payRate } from './limits.ts';
import type { CircuitTransition, Gate, GateChange } from './types.ts';

const noWaiters: readonly number[] = Object.freeze([]);
/** Shared by every step that wakes no waiter and changes no state. */
export const unchanged: GateChange = Object.freeze({ transitions: Object.freeze([]), woken: noWaiters });

/** Wakes the waiters that a change affects. */
export function wakeWaiters(gate: Gate, now: number): readonly number[] {
  const { adaptive, breaker, bulkhead } = gate;
  if (bulkhead.queued === 0) return noWaiters;
  if (breaker.mode === 'forced_open') return turnAllAway(bulkhead);
  if (adaptive !== undefined) return pump(gate, adaptive, now);
  if (!mayPass(gate, now)) return turnAllAway(bulkhead);
  const woken: number[] = [];
  const { first } = bulkhead.line.ready;
  for (let waiter = first.oldest; waiter !== undefined && hasFreeSlot(bulkhead); waiter = first.oldest) {
    payRate(gate, waiter, now);
    woken.push(wake(bulkhead, waiter, 'slot_kept'));
  }
  return woken;
}

/** The effect of a step: its transitions, and the waiters it wakes. */
export function changeOf(gate: Gate, transitions: readonly CircuitTransition[], now: number): GateChange {
  const woken = wakeWaiters(gate, now);
  return transitions.length === 0 && woken.length === 0 ? unchanged : { transitions, woken };
}

/** When to look again if nothing happens before; undefined when only an event can change anything. */
export function wakeAt(gate: Gate, now: number): number | undefined {
  const { adaptive, bulkhead } = gate;
  if (bulkhead.queued === 0 || adaptive === undefined) return undefined;
  const at = nextPumpAt(gate, adaptive, now);
  return at === Infinity ? undefined : at;
}

/** The circuit is closed, or in shadow mode, and no server's Retry-After is in force. */
export function mayPass({ breaker }: Gate, now: number): boolean {
  if (isHeld(breaker, now)) return false;
  return breaker.mode === 'shadow' || circuitState(breaker, now) === 'closed';
}
