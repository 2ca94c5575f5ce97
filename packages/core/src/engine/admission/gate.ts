/**
 * Owns the steps of calls at the gate of one tool: the order in which circuit, server hold, retry budget, rate limit and bulkhead decide on an attempt, the life
 * cycle of its permit, and whom each step wakes. Each of the five keeps its own rules. Where calls wait for recovery, `adaptive/` decides instead.
 *
 * 1. Order: circuit, hold, budget, rate limit, bulkhead, then the circuit's permit: a refusal never holds a probe.
 * 2. A refusal keeps nothing: nothing is counted before all of them have agreed.
 * 3. A call that waits for a slot alone waits only while the circuit is closed and no hold is active: it never fails late behind a probe.
 * 4. A slot is held from the permit to `release`; `record` does not free it, so work that outlives its timeout still counts.
 * 5. Each of record, release, orphaning and return takes effect once per permit; repeated, or after `release`, it does nothing.
 *    Only `record` after `release` still counts, unless the permit was a probe: that one was returned with its slot.
 * 6. Time never runs backwards: a reading earlier than the latest one counts as the latest.
 * 7. Calls that wait for a slot alone are turned away once the circuit is no longer closed; until then, as many are woken as there are free slots.
 * 8. `wakeAt` is when `wakeDueWaiters` would wake a call if nothing else happens: a driver that calls it then, and after every step, misses no waiter.
 * 9. No call waits for a circuit that an operator keeps open.
 */
import { heldMs, isHeld, isPassing, peek, record as recordOutcome, returnProbe, tryAcquire } from '../breaker/breaker.ts';
import { settleLease, takeChanges } from '../breaker/transition.ts';
import type { Mutable } from '../plain/mutable.ts';
import { learnOutcome, probeEnded } from './adaptive/adaptive.ts';
import { admitAdaptive } from './adaptive/admit.ts';
import { nextPumpAt, pump } from './adaptive/pump.ts';
import { enqueue, freeSlot, hasFreeSlot, takeSlot, takeTicket, turnAllAway, wake } from './bulkhead.ts';
import { actingCircuit } from './health.ts';
import { payRate, rateRefusal } from './rate-limiter.ts';
import { budgetRefusal, payBudget } from './retry-budget.ts';
import type { Admission, AdmissionRequest, GateChange, Observation, Permit, Refusal } from './types.ts';
import { isAdaptive, type Gate } from './gate-state.ts';
import type { Waiter } from './waiting-line.ts';

/** Shared by every step that wakes no waiter and changes no state. */
export const unchanged: GateChange = Object.freeze({ transitions: Object.freeze([]), woken: Object.freeze([]) });

/**
 * Requests the right to make one attempt. A waiter that was woken requests again with its ticket. Take the circuit's changes (`takeChanges`) afterwards, or the
 * next step reports them.
 */
export function admit(gate: Gate, request: AdmissionRequest, now: number): Admission {
  const time = timeAt(gate, now);
  const waiter = takeBackTicket(gate, request.ticket);
  settleLease(gate.breaker, time);
  return isAdaptive(gate) ? admitAdaptive(gate, request, waiter, time) : decide(gate, request, waiter, time);
}

/** Records how the attempt ended. The slot stays taken until `release`. `call` identifies the call: all its attempts have the same. */
export function record(gate: Gate, permit: Mutable<Permit>, observation: Observation, now: number, call: object = permit): GateChange {
  if (permit.recorded) return unchanged;
  const time = timeAt(gate, now);
  permit.recorded = true;
  if (isAdaptive(gate)) learnOutcome(gate, permit, observation, call, time);
  else recordOutcome(gate.breaker, permit, observation, time);
  return changeOf(gate, time);
}

/** The work has ended or was abandoned: its slot is free. A probe without an outcome is returned. */
export function release(gate: Gate, permit: Mutable<Permit>, now: number): GateChange {
  if (permit.released) return unchanged;
  const time = timeAt(gate, now);
  permit.released = true;
  freeSlot(gate.bulkhead);
  if (permit.orphaned) gate.bulkhead.orphaned -= 1;
  else if (permit.probe && isAdaptive(gate)) probeEnded(gate);
  if (!permit.recorded) returnProbe(gate.breaker, permit, time);
  return changeOf(gate, time);
}

/** The permit was never used: nothing is recorded, slot and probe are free. Rate limit, budget and tokens are not refunded. */
export function returnPermit(gate: Gate, permit: Mutable<Permit>, now: number): GateChange {
  const change = release(gate, permit, now);
  permit.recorded = true;
  return change;
}

/** The call is answered (a timeout) but its work continues: the slot stays taken and counts as orphaned. */
export function markOrphaned(gate: Gate, permit: Mutable<Permit>): void {
  if (permit.released || permit.orphaned) return;
  permit.orphaned = true;
  gate.bulkhead.orphaned += 1;
  if (permit.probe && isAdaptive(gate)) probeEnded(gate);
}

/** A waiter gives up, woken or not. What was reserved for it goes to the next one. */
export function cancelWait(gate: Gate, ticket: number): GateChange {
  const waiter = takeBackTicket(gate, ticket);
  const frees = waiter?.state === 'slot_kept' || waiter?.state === 'probe_kept';
  return frees ? changeOf(gate, gate.latest) : unchanged;
}

/** Wakes the waiters that are due. `wakeAt` returns when to call this. */
export function wakeDueWaiters(gate: Gate, now: number): GateChange {
  return changeOf(gate, timeAt(gate, now));
}

/** The fleet, not the gate, refuses a new call or a woken waiter for now: the call waits, and no probe is woken before the refusal ends. */
export function waitForFleet(gate: Gate, request: AdmissionRequest, refusal: Refusal, now: number): Admission {
  const time = timeAt(gate, now);
  const waiter = takeBackTicket(gate, request.ticket);
  if (!isAdaptive(gate)) return { kind: 'refused', refusal };
  gate.adaptive.notBefore = Math.max(gate.adaptive.notBefore, time + (refusal.retryAfterMs ?? 0));
  if (waiter?.state === 'probe_kept') waiter.state = 'queued';
  return admitAdaptive(gate, request, waiter, time);
}

/** Takes a ticket back; what was reserved for it is free. */
function takeBackTicket(gate: Gate, ticket: number | undefined): Waiter | undefined {
  const waiter = ticket === undefined ? undefined : takeTicket(gate.bulkhead, ticket);
  if (waiter?.state === 'probe_kept' && isAdaptive(gate)) gate.adaptive.probeKept = false;
  return waiter;
}

export function timeAt(gate: Gate, now: number): number {
  if (now > gate.latest && now < Infinity) gate.latest = now;
  return gate.latest;
}

function decide(gate: Gate, { retry, timeLimitMs }: AdmissionRequest, waiter: Waiter | undefined, now: number): Admission {
  const { breaker, budget, bulkhead, limiter } = gate;
  const isNew = waiter === undefined;
  const refusal = circuitRefusal(gate, now) ?? (isNew ? (budgetRefusal(budget, retry, now) ?? rateRefusal(limiter, now)) : undefined);
  if (refusal !== undefined) return { kind: 'refused', refusal };
  const circuit = hasFreeSlot(bulkhead) ? tryAcquire(breaker, now, timeLimitMs) : undefined;
  if (circuit?.kind === 'refused') return circuit;
  if (circuit === undefined && (bulkhead.queued >= bulkhead.queueLimit || !mayPass(gate, now)))
    return { kind: 'refused', refusal: { code: 'BULKHEAD_FULL', source: 'bulkhead' } };
  if (isNew) {
    payBudget(budget, retry, now);
    payRate(limiter, undefined, now);
  }
  if (circuit === undefined) return { kind: 'wait', ticket: enqueue(bulkhead, { paid: true, bornAt: now }) };
  return { kind: 'permit', permit: takeSlot(bulkhead, circuit.permit) };
}

function circuitRefusal({ breaker }: Gate, now: number): Refusal | undefined {
  const retryAfterMs = heldMs(breaker, now);
  const refusal = peek(breaker, now);
  if (refusal !== undefined || retryAfterMs === undefined) return refusal;
  return { code: 'RATE_LIMITED', source: 'server_hint', retryAfterMs };
}

/** A probe is running now: from this process, or from another one of the fleet. */
export function isProbeOut({ breaker, probedElsewhereUntil }: Gate, now: number): boolean {
  if (isPassing(breaker) || breaker.mode !== 'auto') return false;
  return breaker.state === 'open'
    ? now < breaker.openUntil && breaker.openUntil === probedElsewhereUntil
    : breaker.probeOut && now < breaker.leaseUntil;
}

/** Wakes the waiters that a change affects. */
function wakeWaiters(gate: Gate, now: number): readonly number[] {
  const { breaker, bulkhead } = gate;
  if (bulkhead.queued === 0) return unchanged.woken;
  if (breaker.mode === 'forced_open') return turnAllAway(bulkhead);
  if (isAdaptive(gate)) return pump(gate, now);
  if (!mayPass(gate, now)) return turnAllAway(bulkhead);
  const woken: number[] = [];
  const { first } = bulkhead.line.ready;
  for (let waiter = first.oldest; waiter !== undefined && hasFreeSlot(bulkhead); waiter = first.oldest) {
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
function mayPass(gate: Gate, now: number): boolean {
  return !isHeld(gate.breaker, now) && actingCircuit(gate, now) === 'closed';
}
