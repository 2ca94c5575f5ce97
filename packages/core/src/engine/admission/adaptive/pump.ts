/**
 * Owns which waiters of a gate whose calls wait for recovery start now, and when to look again.
 *
 * 1. Fresh calls first, the newest before all others, then the oldest: in an overload those who just asked are served, and what is left of a tool that is back
 *    goes to those whose time ends first. Behind a limit that time-outs have set, calls that are no longer fresh are backlog. Calls that wait only for a slot are
 *    served in order.
 * 2. Never silent: while calls wait and nothing has started for several mean gaps between calls, one starts without tokens.
 * 3. Last chance: a call that was never sent is sent in the middle of its time, unless time-outs brought the tool down that has succeeded before, or limit it, or its
 *    successes are slow. So the tool gets no more than without the layer, and a tool that fails nine times of ten still serves the tenth.
 * 4. `nextPumpAt` is when `pump` would wake a waiter if nothing else happens before.
 */
import { afterLease } from '../../breaker/transition.ts';
import { hasFreeSlot, wake } from '../bulkhead.ts';
import { limiterFreeAt, payRate } from '../rate-limiter.ts';
import type { AdaptiveGate } from '../gate-state.ts';
import { becomeBacklog, leastTried, nextOf, setDue, type AttemptKind, type Waiter } from '../waiting-line.ts';
import { isUp, runningIn } from './adaptive.ts';
import { mayStart, pay, rejectingUntil } from './admit.ts';
import { numbers } from './numbers.ts';
import { silentUntil } from './pace.ts';
import { hasRoom, isFull } from './timeout-limit.ts';
import { isOverloaded, isSlow } from './usual-duration.ts';

/** Wakes the waiters that are due. */
export function pump(gate: AdaptiveGate, now: number): readonly number[] {
  const { adaptive, bulkhead } = gate;
  const woken: number[] = [];
  wakeDue(gate, now, woken);
  if (!isUp(gate)) {
    becomeBacklog(bulkhead.line, Infinity);
    const probe = probeAt(gate) <= now ? leastTried(bulkhead.line) : undefined;
    if (probe === undefined) return woken;
    adaptive.probeKept = true;
    payRate(gate.limiter, probe, now);
    return [...woken, wake(bulkhead, probe, 'probe_kept')];
  }
  const { durations, limit, pace } = adaptive;
  if (limit.limit !== Infinity) becomeBacklog(bulkhead.line, now - numbers.freshMs);
  if (isFree(gate, now)) {
    const slow = isSlow(durations);
    const waiter = next(gate, now, (kind) => now >= silentUntil(pace, slow, kind === 'costly_retry'));
    if (waiter !== undefined) send(gate, waiter, now, woken);
  }
  while (bulkhead.queued > 0 && isFree(gate, now) && hasRoom(limit, runningIn(gate), now)) {
    const waiter = nextPaid(gate, now, now);
    if (waiter === undefined) break;
    waiter.cost = pay(adaptive, waiter.kind, waiter.backlog);
    send(gate, waiter, now, woken);
  }
  return woken;
}

/** When to pump again; Infinity when only an event can change anything. */
export function nextPumpAt(gate: AdaptiveGate, now: number): number {
  const { adaptive, bulkhead } = gate;
  const due = bulkhead.line.heap[0]?.dueAt ?? Infinity;
  if (!isUp(gate)) return Math.min(due, Math.max(probeAt(gate), now));
  if (!hasFreeSlot(bulkhead)) return due;
  const { durations, limit, pace } = adaptive;
  const times = isFull(limit, runningIn(gate)) ? [] : [now, Math.max(now, rejectingUntil(adaptive))];
  const paidAt = times.find((at) => nextPaid(gate, now, at)) ?? Infinity;
  const areCostly = next(gate, now, (kind) => kind !== 'costly_retry') === undefined;
  return Math.min(due, Math.max(freeAt(gate, now), Math.min(paidAt, silentUntil(pace, isSlow(durations), areCostly))));
}

/** The waiters whose time is over, and those that have not been sent by the middle of their time. */
function wakeDue(gate: AdaptiveGate, now: number, woken: number[]): void {
  const { bulkhead } = gate;
  const { line } = bulkhead;
  for (let waiter = line.heap[0]; waiter !== undefined && waiter.dueAt <= now; waiter = line.heap[0]) {
    if (now >= waiter.until) woken.push(wake(bulkhead, waiter, 'turned_away'));
    else if (!mayHaveLastChance(gate) || !isFree(gate, now)) setDue(line, waiter, waiter.until);
    else send(gate, waiter, now, woken);
  }
}

/** An overloaded tool gets nothing that it would not get without the layer at this moment. One that has never succeeded is not known to be overloaded. */
function mayHaveLastChance(gate: AdaptiveGate): boolean {
  const { durations, failed, limit } = gate.adaptive;
  return isUp(gate) ? limit.limit === Infinity && !isOverloaded(durations) : !failed.byTimeouts || durations.samples === 0;
}

/** The next waiter among those that may start. Calls that wait only for a slot or a rate limit are served in order. */
function next(
  { adaptive, bulkhead }: AdaptiveGate,
  now: number,
  may: (kind: AttemptKind, backlog: boolean) => boolean,
): Waiter | undefined {
  const freshSince = now - numbers.freshMs;
  const { ready, backlog } = bulkhead.line;
  const readySince = adaptive.limit.limit === Infinity ? Infinity : freshSince;
  return nextOf(ready, readySince, (kind) => may(kind, false)) ?? nextOf(backlog, freshSince, (kind) => may(kind, true));
}

/** The next waiter that its tokens would let start at `at`. */
function nextPaid(gate: AdaptiveGate, now: number, at: number): Waiter | undefined {
  return next(gate, now, (kind, backlog) => mayStart(gate.adaptive, kind, backlog, at));
}

function send(gate: AdaptiveGate, waiter: Waiter, now: number, woken: number[]): void {
  payRate(gate.limiter, waiter, now);
  gate.adaptive.pace.lastSentAt = now;
  woken.push(wake(gate.bulkhead, waiter, 'slot_kept'));
}

/** A slot is free, and the rate limit allows a call. */
function isFree(gate: AdaptiveGate, now: number): boolean {
  return hasFreeSlot(gate.bulkhead) && freeAt(gate, now) <= now;
}

/** When the rate limit allows a call. */
function freeAt({ limiter }: AdaptiveGate, now: number): number {
  return limiter === undefined ? now : limiterFreeAt(limiter);
}

/** When a waiter could be woken to be the probe; Infinity when a probe has to end first. */
function probeAt({ adaptive: { probeKept, notBefore }, breaker, bulkhead, limiter }: AdaptiveGate): number {
  if (breaker.mode === 'forced_open' || probeKept || !hasFreeSlot(bulkhead)) return Infinity;
  const due = breaker.state === 'open' ? breaker.openUntil : breaker.probeOut ? afterLease(breaker) : -Infinity;
  return Math.max(due, notBefore, limiter === undefined ? -Infinity : limiterFreeAt(limiter));
}
