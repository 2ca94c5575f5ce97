/**
 * Owns waking: which waiters of a gate continue, and when to look again. Wakes as many as circuit, limits and bulkhead allow.
 *
 * 1. When no call waits for recovery: all are turned away once the circuit is no longer closed; until then, as many are woken as there are free slots.
 * 2. Calls that wait for recovery stay while the circuit is not closed; one at a time is woken to be its probe.
 * 3. `wakeAt` is when `wakeWaiters` would wake a call if nothing else happens: a driver that calls it then, and after every step, misses no waiter.
 * 4. No call waits for a circuit that an operator keeps open.
 */
import { circuitState, isHeld, peek } from '../breaker/breaker.ts';
import { hasFreeSlot, turnAway, turnAwayEnded, wake } from './bulkhead.ts';
import { circuitClosed, circuitOpened, hasRoom, loadOf, nextUnloadAt } from './adaptive-limit.ts';
import { payLimits } from './limits.ts';
import { hasMaxProbes, followOpenings } from './probing.ts';
import { limiterFreeAt } from './rate-limiter.ts';
import type { CircuitTransition, Gate, GateChange } from './types.ts';
import { firstToEnd, nextOf, type Waiter } from './waiting-line.ts';

const noWaiters: readonly number[] = Object.freeze([]);
/** Shared by every step that wakes no waiter and changes no state. */
export const unchanged: GateChange = Object.freeze({ transitions: Object.freeze([]), woken: noWaiters });

/** A call is fresh for this long at least: its user is probably still waiting. */
const FRESH_MS = 2_000;
const FRESH_FACTOR = 5;

/** Wakes the waiters that a change affects. */
export function wakeWaiters(gate: Gate, now: number): readonly number[] {
  const { bulkhead } = gate;
  noteCircuit(gate, now);
  if (bulkhead.queued === 0) return noWaiters;
  const passes = mayPass(gate, now);
  if (!passes && (bulkhead.patient === 0 || gate.breaker.mode === 'forced_open')) return turnAway(bulkhead, 'all');
  const woken: number[] = [];
  if (bulkhead.patient > 0) turnAwayEnded(bulkhead, now, woken);
  if (passes) {
    for (let waiter = nextWaiter(gate, now); waiter !== undefined && slotAt(gate, waiter, now) <= now; waiter = nextWaiter(gate, now)) {
      payLimits(gate, waiter.retry, waiter, now);
      woken.push(wake(bulkhead, waiter, 'slot_kept'));
    }
    return woken;
  }
  if (bulkhead.queued > bulkhead.patient) woken.push(...turnAway(bulkhead, 'impatient'));
  const waiter = nextWaiter(gate, now);
  if (waiter !== undefined && probeAt(gate, now) <= now) {
    payLimits(gate, waiter.retry, waiter, now);
    woken.push(wake(bulkhead, waiter, 'probe_kept'));
    gate.probing.kept = true;
  }
  return woken;
}

/** The effect of a step: its transition, and the waiters it wakes. */
export function changeOf(gate: Gate, transition: CircuitTransition | undefined, now: number): GateChange {
  const woken = wakeWaiters(gate, now);
  if (transition === undefined && woken.length === 0) return unchanged;
  return { transitions: transition === undefined ? [] : [transition], woken };
}

/** When to look again if nothing happens before; undefined when only an event can change anything. */
export function wakeAt(gate: Gate, now: number): number | undefined {
  const { bulkhead, adaptiveLimit } = gate;
  if (bulkhead.queued === 0 || (bulkhead.patient === 0 && adaptiveLimit === undefined)) return undefined;
  const ends = bulkhead.patient === 0 ? Infinity : (firstToEnd(bulkhead.line)?.until ?? Infinity);
  const waiter = nextWaiter(gate, now);
  const continuesAt = waiter === undefined ? Infinity : mayPass(gate, now) ? slotAt(gate, waiter, now) : probeAt(gate, now);
  const at = Math.min(ends, continuesAt);
  return at === Infinity ? undefined : at;
}

/** The circuit is closed, or in shadow mode, and no server's Retry-After is in force. */
export function mayPass({ breaker }: Gate, now: number): boolean {
  if (isHeld(breaker, now)) return false;
  return breaker.mode === 'shadow' || circuitState(breaker, now) === 'closed';
}

/** Whether one more call may run beside those that do. */
export function hasPlace(gate: Gate, now: number): boolean {
  const { bulkhead, adaptiveLimit } = gate;
  if (!hasFreeSlot(bulkhead)) return false;
  if (adaptiveLimit === undefined || adaptiveLimit.limit === Infinity) return true;
  return hasRoom(adaptiveLimit, loadOf(adaptiveLimit, bulkhead.held, now) + bulkhead.reserved, bulkhead.queued, now);
}

/** Updates probing and the adaptive limit with the circuit's state. */
export function noteCircuit({ adaptiveLimit, breaker, bulkhead, probing }: Gate, now: number): void {
  if (adaptiveLimit === undefined) return;
  followOpenings(probing, breaker, bulkhead.queued, now);
  if ((breaker.state === 'closed') === (adaptiveLimit.openedAt === undefined)) return;
  // In shadow mode the circuit holds no calls back, so none can arrive all at once.
  if (breaker.state === 'closed' && breaker.mode === 'shadow') adaptiveLimit.openedAt = undefined;
  else if (breaker.state === 'closed') circuitClosed(adaptiveLimit, loadOf(adaptiveLimit, bulkhead.held, now), now);
  else {
    circuitOpened(adaptiveLimit, now);
    bulkhead.line.throttled = false;
  }
}

function nextWaiter({ bulkhead, settings: { concurrency }, adaptiveLimit }: Gate, now: number): Waiter | undefined {
  const order = concurrency ? concurrency.order : undefined;
  return nextOf(bulkhead.line, order, Math.max(FRESH_MS, FRESH_FACTOR * (adaptiveLimit?.baselineMs ?? 0)), now);
}

/** When that waiter could get a slot; Infinity when a running call has to end first. */
function slotAt(gate: Gate, waiter: Waiter, now: number): number {
  const { limiter, adaptiveLimit, bulkhead } = gate;
  if (!hasPlace(gate, now)) return adaptiveLimit === undefined || !hasFreeSlot(bulkhead) ? Infinity : nextUnloadAt(adaptiveLimit);
  return limiter === undefined || waiter.paid ? now : Math.max(now, limiterFreeAt(limiter));
}

/** When a waiter could be woken to be the probe; Infinity when a probe has to end first. */
function probeAt(gate: Gate, now: number): number {
  const { breaker, bulkhead, probing, limiter } = gate;
  if (breaker.mode === 'forced_open' || !hasFreeSlot(bulkhead) || probing.kept || hasMaxProbes(probing, gate.settings)) return Infinity;
  const refusal = peek(breaker, now);
  const due = refusal === undefined ? now : refusal.retryAfterMs === undefined ? Infinity : now + refusal.retryAfterMs;
  return Math.max(due, breaker.holdUntil, probing.notBefore, limiter === undefined ? now : limiterFreeAt(limiter));
}
