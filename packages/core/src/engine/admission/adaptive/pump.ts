/**
 * Owns which waiters of a gate whose calls wait for recovery start now, and when to look again.
 *
 * 1. Fresh calls first, the newest before all others, then the oldest: in an overload those who just asked are served, and what is left of a tool that is back
 *    goes to those whose time ends first. Behind a limit that time-outs have set, calls that are no longer fresh are backlog. Calls that wait only for a slot are
 *    served in order.
 * 2. Never silent: while calls wait and nothing has started for several mean gaps between calls, one starts without tokens.
 * 3. Last chance: a call that was never sent is sent in the middle of its time, unless time-outs brought the tool down or limit it, or its successes are slow. So the
 *    tool gets no more than without the layer, and a tool that fails nine times of ten still serves the tenth.
 * 4. `nextPumpAt` is when `pump` would wake a waiter if nothing else happens before.
 */
import { afterLease } from '../../breaker/transition.ts';
import { hasFreeSlot, wake } from '../bulkhead.ts';
import { payRate } from '../limits.ts';
import { limiterFreeAt } from '../rate-limiter.ts';
import type { Gate } from '../types.ts';
import { attemptKinds, becomeBacklog, leastTried, nextDue, nextOf, setDue, type AttemptKind, type Waiter } from '../waiting-line.ts';
import { isUp, runningIn } from './adaptive.ts';
import { mayStart, pay, rejectingUntil } from './admit.ts';
import { numbers } from './numbers.ts';
import { silentUntil } from './pace.ts';
import type { Adaptive } from './state.ts';
import { hasRoom, isFull } from './timeout-limit.ts';
import { isOverloaded, isSlow } from './usual-duration.ts';

/** Wakes the waiters that are due. */
export function pump(gate: Gate, adaptive: Adaptive, now: number): readonly number[] {
  const woken: number[] = [];
  wakeDue(gate, adaptive, now, woken);
  if (!isUp(gate)) {
    becomeBacklog(gate.bulkhead.line, Infinity);
    const probe = probeAt(gate, adaptive) <= now ? leastTried(gate.bulkhead.line) : undefined;
    if (probe !== undefined) {
      adaptive.probeKept = true;
      payRate(gate, probe, now);
      woken.push(wake(gate.bulkhead, probe, 'probe_kept'));
    }
    return woken;
  }
  const { durations, limit, pace } = adaptive;
  if (limit.limit !== Infinity) becomeBacklog(gate.bulkhead.line, now - numbers.freshMs);
  if (isFree(gate, now)) {
    const { ready, backlog } = gate.bulkhead.line;
    const slow = isSlow(durations);
    const may = (kind: AttemptKind): boolean => now >= silentUntil(pace, slow, kind === 'costly_retry');
    const waiter = nextOf(ready, readyFreshSince(adaptive, now), may) ?? nextOf(backlog, now - numbers.freshMs, may);
    if (waiter !== undefined) send(gate, adaptive, waiter, now, woken);
  }
  for (let waiter = nextPaid(gate, adaptive, now); waiter !== undefined; waiter = nextPaid(gate, adaptive, now)) {
    waiter.cost = pay(adaptive, waiter.kind, waiter.backlog);
    send(gate, adaptive, waiter, now, woken);
  }
  return woken;
}

/** When to pump again; Infinity when only an event can change anything. */
export function nextPumpAt(gate: Gate, adaptive: Adaptive, now: number): number {
  const { bulkhead, limiter } = gate;
  const due = nextDue(bulkhead.line)?.dueAt ?? Infinity;
  if (!isUp(gate)) return Math.min(due, Math.max(probeAt(gate, adaptive), now));
  if (!hasFreeSlot(bulkhead)) return due;
  const { durations, limit, pace } = adaptive;
  const free = limiter === undefined ? now : limiterFreeAt(limiter);
  const { backlog, ready } = bulkhead.line;
  const isPaid = (at: number): boolean =>
    attemptKinds.some(
      (kind) =>
        (ready[kind].newest !== undefined && mayStart(adaptive, kind, false, at)) ||
        (backlog[kind].newest !== undefined && mayStart(adaptive, kind, true, at)),
    );
  const times = isFull(limit, runningIn(gate, adaptive)) ? [] : [now, Math.max(now, rejectingUntil(adaptive))];
  const paidAt = times.find(isPaid) ?? Infinity;
  const areCostly = attemptKinds.every((kind) => kind === 'costly_retry' || (ready[kind].newest ?? backlog[kind].newest) === undefined);
  return Math.min(due, Math.max(free, Math.min(paidAt, silentUntil(pace, isSlow(durations), areCostly))));
}

/** The waiters whose time is over, and those that have not been sent by the middle of their time. */
function wakeDue(gate: Gate, adaptive: Adaptive, now: number, woken: number[]): void {
  const { bulkhead } = gate;
  const { line } = bulkhead;
  for (let waiter = nextDue(line); waiter !== undefined && waiter.dueAt <= now; waiter = nextDue(line)) {
    if (now >= waiter.until) woken.push(wake(bulkhead, waiter, 'turned_away'));
    else if (!mayHaveLastChance(gate, adaptive) || !isFree(gate, now)) setDue(line, waiter, waiter.until);
    else send(gate, adaptive, waiter, now, woken);
  }
}

/** An overloaded tool gets nothing that it would not get without the layer at this moment. */
function mayHaveLastChance(gate: Gate, { durations, failed, limit }: Adaptive): boolean {
  return isUp(gate) ? limit.limit === Infinity && !isOverloaded(durations) : !failed.byTimeouts;
}

function nextPaid(gate: Gate, adaptive: Adaptive, now: number): Waiter | undefined {
  if (gate.bulkhead.queued === 0 || !isFree(gate, now) || !hasRoom(adaptive.limit, runningIn(gate, adaptive), now)) return undefined;
  const { ready, backlog } = gate.bulkhead.line;
  return (
    nextOf(ready, readyFreshSince(adaptive, now), (kind) => mayStart(adaptive, kind, false, now)) ??
    nextOf(backlog, now - numbers.freshMs, (kind) => mayStart(adaptive, kind, true, now))
  );
}

/** Calls that wait only for a slot or a rate limit are served in order. */
function readyFreshSince({ limit: { limit } }: Adaptive, now: number): number {
  return limit === Infinity ? Infinity : now - numbers.freshMs;
}

function send(gate: Gate, adaptive: Adaptive, waiter: Waiter, now: number, woken: number[]): void {
  payRate(gate, waiter, now);
  adaptive.pace.lastSentAt = now;
  woken.push(wake(gate.bulkhead, waiter, 'slot_kept'));
}

/** A slot is free, and the rate limit allows a call. */
function isFree({ bulkhead, limiter }: Gate, now: number): boolean {
  return hasFreeSlot(bulkhead) && (limiter === undefined || limiterFreeAt(limiter) <= now);
}

/** When a waiter could be woken to be the probe; Infinity when a probe has to end first. */
function probeAt({ breaker, bulkhead, limiter }: Gate, { probeKept, notBefore }: Adaptive): number {
  if (breaker.mode === 'forced_open' || probeKept || !hasFreeSlot(bulkhead)) return Infinity;
  const due = breaker.state === 'open' ? breaker.openUntil : breaker.probeOut ? afterLease(breaker) : -Infinity;
  return Math.max(due, notBefore, limiter === undefined ? -Infinity : limiterFreeAt(limiter));
}
