/**
 * Owns waking: which waiters of a gate continue, and when to look again.
 *
 * 1. Calls that wait for a slot alone are turned away once the circuit is no longer closed; until then, as many are woken as there are free slots.
 * 2. Where calls wait for recovery, `adaptive/pump.ts` decides.
 * 3. `wakeAt` is when `wakeWaiters` would wake a call if nothing else happens: a driver that calls it then, and after every step, misses no waiter.
 * 4. No call waits for a circuit that an operator keeps open.
 */
import { circuitState, isHeld } from '../breaker/breaker.ts';
import { takeChanges } from '../breaker/transition.ts';
import { nextPumpAt, pump } from './adaptive/pump.ts';
import { hasFreeSlot, turnAllAway, wake } from './bulkhead.ts';
import { payRate } from './rate-limiter.ts';
import type { GateChange } from './types.ts';
import { isAdaptive, type Gate } from './gate-state.ts';

const noWaiters: readonly number[] = Object.freeze([]);
/** Shared by every step that wakes no waiter and changes no state. */
export const unchanged: GateChange = Object.freeze({ transitions: Object.freeze([]), woken: noWaiters });

/** Wakes the waiters that a change affects. */
export function wakeWaiters(gate: Gate, now: number): readonly number[] {
  const { breaker, bulkhead } = gate;
  if (bulkhead.queued === 0) return noWaiters;
  if (breaker.mode === 'forced_open') return turnAllAway(bulkhead);
  if (isAdaptive(gate)) return pump(gate, now);
  if (!mayPass(gate, now)) return turnAllAway(bulkhead);
  const woken: number[] = [];
  const { first } = bulkhead.line.ready;
  for (let waiter = first.oldest; waiter !== undefined && hasFreeSlot(bulkhead); waiter = first.oldest) {
    payRate(gate.limiter, waiter, now);
    woken.push(wake(bulkhead, waiter, 'slot_kept'));
  }
  return woken;
}

/** The effect of a step: the changes of state since the step before, and the waiters that continue. */
export function changeOf(gate: Gate, now: number): GateChange {
  const transitions = takeChanges(gate.breaker);
  const woken = wakeWaiters(gate, now);
  return transitions.length === 0 && woken.length === 0 ? unchanged : { transitions, woken };
}

/** When to look again if nothing happens before; undefined when only an event can change anything. */
export function wakeAt(gate: Gate, now: number): number | undefined {
  if (gate.bulkhead.queued === 0 || !isAdaptive(gate)) return undefined;
  const at = nextPumpAt(gate, now);
  return at === Infinity ? undefined : at;
}

/** The circuit is closed, or in shadow mode, and no server's Retry-After is in force. */
export function mayPass({ breaker }: Gate, now: number): boolean {
  if (isHeld(breaker, now)) return false;
  return breaker.mode === 'shadow' || circuitState(breaker, now) === 'closed';
}
