/**
 * Who of those that wait at a gate goes on, and when to look again.
 * Owns the waking: it is by the gate alone, as many as may run. What may run is the circuit's, the limits' and the bulkhead's word.
 *
 * 1. Where nobody waits for recovery: everybody is turned out when calls do not pass freely any more, else as many are woken as there are slots.
 * 2. Who waits for recovery stays while the circuit is not closed; one at a time is woken to be its probe.
 * 3. `wakeAt` is when `wakeWaiters` would wake somebody though nothing else happens: whoever looks again then, and after every step, loses nobody.
 * 4. A circuit that a person keeps open is waited for by nobody.
 */
import { circuitState, isHeld, peek } from '../breaker/breaker.ts';
import { hasFreeSlot, turnOut, turnOutEnded, wake } from './bulkhead.ts';
import { circuitClosed, circuitOpened, hasRoom, loadOf, nextUnloadAt } from './adaptive-limit.ts';
import { pay } from './limits.ts';
import { areAllOut, followOpenings } from './probing.ts';
import { limiterFreeAt } from './rate-limiter.ts';
import type { CircuitTransition, Gate, GateChange } from './types.ts';
import { firstToEnd, nextOf, type Waiter } from './waiting-line.ts';

const nobody: readonly number[] = Object.freeze([]);
/** Shared by every step that changed nothing for anybody else. */
export const unchanged: GateChange = Object.freeze({ transitions: Object.freeze([]), woken: nobody });

/** A call is young for this long at least: whoever asked for it is still watching. */
const FRESH_MS = 2_000;
const FRESH_FACTOR = 5;

/** Wakes whom a change concerns. */
export function wakeWaiters(gate: Gate, now: number): readonly number[] {
  const { bulkhead } = gate;
  noteCircuit(gate, now);
  if (bulkhead.queued === 0) return nobody;
  const passes = mayPass(gate, now);
  if (!passes && (bulkhead.patient === 0 || gate.breaker.mode === 'forced_open')) return turnOut(bulkhead, 'all');
  const woken: number[] = [];
  if (bulkhead.patient > 0) turnOutEnded(bulkhead, now, woken);
  if (passes) {
    for (let waiter = next(gate, now); waiter !== undefined && slotAt(gate, waiter, now) <= now; waiter = next(gate, now)) {
      pay(gate, waiter.retry, waiter, now);
      woken.push(wake(bulkhead, waiter, 'slot_kept'));
    }
    return woken;
  }
  if (bulkhead.queued > bulkhead.patient) woken.push(...turnOut(bulkhead, 'impatient'));
  const waiter = next(gate, now);
  if (waiter !== undefined && probeAt(gate, now) <= now) {
    pay(gate, waiter.retry, waiter, now);
    woken.push(wake(bulkhead, waiter, 'probe_kept'));
    gate.probing.kept = true;
  }
  return woken;
}

/** What a step brought about: its change of state, and whom that sets free. */
export function changeOf(gate: Gate, transition: CircuitTransition | undefined, now: number): GateChange {
  const woken = wakeWaiters(gate, now);
  if (transition === undefined && woken.length === 0) return unchanged;
  return { transitions: transition === undefined ? [] : [transition], woken };
}

/** When to look again if nothing happens before; undefined when only an event can change anything. */
export function wakeAt(gate: Gate, now: number): number | undefined {
  const { bulkhead, learned } = gate;
  if (bulkhead.queued === 0 || (bulkhead.patient === 0 && learned === undefined)) return undefined;
  const ends = bulkhead.patient === 0 ? Infinity : (firstToEnd(bulkhead.line)?.until ?? Infinity);
  const waiter = next(gate, now);
  const goesOn = waiter === undefined ? Infinity : mayPass(gate, now) ? slotAt(gate, waiter, now) : probeAt(gate, now);
  const at = Math.min(ends, goesOn);
  return at === Infinity ? undefined : at;
}

/** Calls pass freely: the circuit is closed, or only watches, and no server asked for quiet. */
export function mayPass({ breaker }: Gate, now: number): boolean {
  if (isHeld(breaker, now)) return false;
  return breaker.mode === 'shadow' || circuitState(breaker, now) === 'closed';
}

/** Whether one more call may run beside those that do. */
export function hasPlace(gate: Gate, now: number): boolean {
  const { bulkhead, learned } = gate;
  if (!hasFreeSlot(bulkhead)) return false;
  if (learned === undefined || learned.limit === Infinity) return true;
  return hasRoom(learned, loadOf(learned, bulkhead.held, now) + bulkhead.reserved, bulkhead.queued, now);
}

/** Tells the pace of probes and the learned limit what has become of the circuit. */
export function noteCircuit({ learned, breaker, bulkhead, probing }: Gate, now: number): void {
  if (learned === undefined) return;
  followOpenings(probing, breaker, bulkhead.queued, now);
  if ((breaker.state === 'closed') === (learned.openedAt === undefined)) return;
  // Where the circuit only watched, nobody was kept away who could come at once now.
  if (breaker.state === 'closed' && breaker.mode === 'shadow') learned.openedAt = undefined;
  else if (breaker.state === 'closed') circuitClosed(learned, loadOf(learned, bulkhead.held, now), now);
  else {
    circuitOpened(learned, now);
    bulkhead.line.throttled = false;
  }
}

function next({ bulkhead, settings: { concurrency }, learned }: Gate, now: number): Waiter | undefined {
  const order = concurrency ? concurrency.order : undefined;
  return nextOf(bulkhead.line, order, Math.max(FRESH_MS, FRESH_FACTOR * (learned?.usualMs ?? 0)), now);
}

/** When that waiter could take a slot; Infinity when somebody has to leave first. */
function slotAt(gate: Gate, waiter: Waiter, now: number): number {
  const { limiter, learned, bulkhead } = gate;
  if (!hasPlace(gate, now)) return learned === undefined || !hasFreeSlot(bulkhead) ? Infinity : nextUnloadAt(learned);
  return limiter === undefined || waiter.paid ? now : Math.max(now, limiterFreeAt(limiter));
}

/** When somebody could be woken to be the probe; Infinity when a probe has to end first. */
function probeAt(gate: Gate, now: number): number {
  const { breaker, bulkhead, probing, limiter } = gate;
  if (breaker.mode === 'forced_open' || !hasFreeSlot(bulkhead) || probing.kept || areAllOut(probing, gate.settings)) return Infinity;
  const refusal = peek(breaker, now);
  const due = refusal === undefined ? now : refusal.retryAfterMs === undefined ? Infinity : now + refusal.retryAfterMs;
  return Math.max(due, breaker.holdUntil, probing.notBefore, limiter === undefined ? now : limiterFreeAt(limiter));
}
