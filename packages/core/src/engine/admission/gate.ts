/**
 * Owns the gate of one tool: one admission decision from circuit, server hold, retry budget, rate limit and bulkhead.
 * Owns the order of these checks and the life cycle of a permit. Each of the five keeps its own rules; control is in gate-control.ts.
 * Where calls wait for recovery, `adaptive/` decides instead; the life cycle of a permit is the same.
 *
 * 1. Order: circuit, hold, budget, rate limit, bulkhead, then the circuit's permit: a refusal never holds a probe.
 * 2. A refusal keeps nothing: nothing is counted before all of them have agreed.
 * 3. A call that waits for a slot alone waits only while the circuit is closed and no hold is active: it never fails late behind a probe.
 * 4. A slot is held from the permit to `release`; `record` does not free it, so work that outlives its timeout still counts.
 * 5. Each of record, release, orphaning and return takes effect once per permit; repeated, or after `release`, it does nothing.
 *    Only `record` after `release` still counts, unless the permit was a probe: that one was returned with its slot.
 * 6. Time never runs backwards: a reading earlier than the latest one counts as the latest.
 */
import { createBreaker, isHeld, isPassing, peek, record as recordOutcome, returnProbe, tryAcquire } from '../breaker/breaker.ts';
import { settleLease } from '../breaker/transition.ts';
import { waitMs } from '../breaker/wait.ts';
import { learnOutcome, probeEnded } from './adaptive/adaptive.ts';
import { admitAdaptive } from './adaptive/admit.ts';
import { createAdaptive, type Adaptive } from './adaptive/state.ts';
import { createBulkhead, enqueue, hasFreeSlot, hasQueueRoom, limitSlots, takeTicket } from './bulkhead.ts';
import { takeSlot } from './permit.ts';
import { budgetRefusal, payBudget, payRate, rateRefusal } from './limits.ts';
import { probeLeaseMs } from './probe-lease.ts';
import { limiterFor } from './rate-limiter.ts';
import { budgetFor } from './retry-budget.ts';
import { checkGateSettings } from './settings.ts';
import type {
  Admission,
  AdmissionRequest,
  CircuitTransition,
  Gate,
  GateChange,
  GateSettings,
  Observation,
  Permit,
  Refusal,
} from './types.ts';
import type { Waiter } from './waiting-line.ts';
import { changeOf, mayPass, unchanged } from './wake-waiters.ts';

type MutablePermit = { -readonly [Name in keyof Permit]: Permit[Name] };

/**
 * @param where in front of a setting's name in errors
 * @param peer another gate of the tool: both keep its limits together
 * @throws TypeError or RangeError that names the setting, its value and the fix.
 */
export function createGate(settings: GateSettings, where = '', peer?: Gate): Gate {
  checkGateSettings(settings, where);
  const { breaker, concurrency, rateLimit, retryBudget, waitForRecovery = false } = settings;
  const gate: Gate = {
    settings,
    breaker: createBreaker(breaker === false ? {} : breaker),
    bulkhead: createBulkhead(peer?.bulkhead.slots),
    limiter: peer ? peer.limiter : limiterFor(rateLimit),
    budget: budgetFor(retryBudget),
    adaptive: waitForRecovery ? createAdaptive() : undefined,
    probedElsewhereUntil: -Infinity,
    fleet: { joined: false, adoptedGeneration: -1, successes: 0, failures: 0 },
    latest: -Infinity,
  };
  if (breaker === false) gate.breaker.mode = 'disabled';
  limitSlots(gate.bulkhead, concurrency);
  return gate;
}

/** Requests the right to make one attempt. A waiter that was woken requests again with its ticket. */
export function admit(gate: Gate, request: AdmissionRequest, now: number): Admission {
  const time = timeAt(gate, now);
  const { adaptive } = gate;
  const waiter = request.ticket === undefined ? undefined : takeBackTicket(gate, request.ticket);
  const expired = isPassing(gate.breaker) ? undefined : settleLease(gate.breaker, time);
  const answer = adaptive === undefined ? decide(gate, request, waiter, time) : admitAdaptive(gate, adaptive, request, waiter, time);
  return expired === undefined ? answer : withExpiry(answer, expired);
}

/** Records how the attempt ended. The slot stays taken until `release`. `call` identifies the call: all its attempts have the same. */
export function record(gate: Gate, permit: Permit, observation: Observation, now: number, call: object = permit): GateChange {
  if (permit.recorded) return unchanged;
  const time = timeAt(gate, now);
  (permit as MutablePermit).recorded = true;
  if (gate.adaptive !== undefined) return recordAdaptive(gate, gate.adaptive, permit, observation, call, time);
  const transition = recordOutcome(gate.breaker, permit, observation, time);
  return transition === undefined && observation.retryAfterMs === undefined ? unchanged : changeOf(gate, one(transition), time);
}

function recordAdaptive(gate: Gate, adaptive: Adaptive, permit: Permit, observation: Observation, call: object, now: number): GateChange {
  const transitions = learnOutcome(gate, adaptive, permit, observation, call, now);
  return transitions.length === 0 && gate.bulkhead.queued === 0 ? unchanged : changeOf(gate, transitions, now);
}

/** The work has ended or was abandoned: its slot is free. A probe without an outcome is returned. */
export function release(gate: Gate, permit: Permit, now: number): GateChange {
  if (permit.released) return unchanged;
  const time = timeAt(gate, now);
  (permit as MutablePermit).released = true;
  gate.bulkhead.held -= 1;
  gate.bulkhead.slots.taken -= 1;
  if (permit.orphaned) gate.bulkhead.orphaned -= 1;
  else if (permit.probe && gate.adaptive !== undefined) probeEnded(gate.adaptive);
  const transition = permit.recorded ? undefined : returnProbe(gate.breaker, permit, time);
  return transition === undefined && gate.bulkhead.queued === 0 ? unchanged : changeOf(gate, one(transition), time);
}

/** The permit was never used: nothing is recorded, slot and probe are free. Rate limit, budget and tokens are not refunded. */
export function returnPermit(gate: Gate, permit: Permit, now: number): GateChange {
  const change = release(gate, permit, now);
  (permit as MutablePermit).recorded = true;
  return change;
}

/** The call is answered (a timeout) but its work continues: the slot stays taken and counts as orphaned. */
export function markOrphaned(gate: Gate, permit: Permit): void {
  if (permit.released || permit.orphaned) return;
  (permit as MutablePermit).orphaned = true;
  gate.bulkhead.orphaned += 1;
  if (permit.probe && gate.adaptive !== undefined) probeEnded(gate.adaptive);
}

/** A waiter gives up, woken or not. What was reserved for it goes to the next one. */
export function cancelWait(gate: Gate, ticket: number): GateChange {
  const waiter = takeBackTicket(gate, ticket);
  const frees = waiter?.state === 'slot_kept' || waiter?.state === 'probe_kept';
  return frees ? changeOf(gate, none, gate.latest) : unchanged;
}

/** Wakes the waiters that are due. `wakeAt` returns when to call this. */
export function wakeDueWaiters(gate: Gate, now: number): GateChange {
  return changeOf(gate, none, timeAt(gate, now));
}

/** The fleet, not the gate, refuses a new call or a woken waiter for now: the call waits, and no probe is woken before the refusal ends. */
export function waitForFleet(gate: Gate, request: AdmissionRequest, refusal: Refusal, now: number): Admission {
  const time = timeAt(gate, now);
  const waiter = request.ticket === undefined ? undefined : takeBackTicket(gate, request.ticket);
  const { adaptive } = gate;
  if (adaptive === undefined) return { kind: 'refused', refusal };
  adaptive.notBefore = Math.max(adaptive.notBefore, time + (refusal.retryAfterMs ?? 0));
  return admitAdaptive(gate, adaptive, request, waiter?.state === 'probe_kept' ? { ...waiter, state: 'queued' } : waiter, time);
}

/** Takes a ticket back; what was reserved for it is free. */
function takeBackTicket({ bulkhead, adaptive }: Gate, ticket: number): Waiter | undefined {
  const waiter = takeTicket(bulkhead, ticket);
  if (waiter?.state === 'probe_kept' && adaptive !== undefined) adaptive.probeKept = false;
  return waiter;
}

export function timeAt(gate: Gate, now: number): number {
  if (now > gate.latest && now < Infinity) gate.latest = now;
  return gate.latest;
}

function decide(gate: Gate, request: AdmissionRequest, waiter: Waiter | undefined, now: number): Admission {
  const { retry, timeLimitMs } = request;
  const refusal =
    circuitRefusal(gate, now) ?? (waiter === undefined ? (budgetRefusal(gate, retry, now) ?? rateRefusal(gate, now)) : undefined);
  if (refusal !== undefined) return { kind: 'refused', refusal };
  if (!hasFreeSlot(gate.bulkhead)) return waitForSlot(gate, retry, waiter, now);
  const circuit = tryAcquire(gate.breaker, now, probeLeaseMs(timeLimitMs));
  if (circuit.kind === 'refused') return circuit;
  if (waiter === undefined) payLimits(gate, retry, now);
  const permit = takeSlot(gate, circuit.permit);
  return circuit.transition === undefined ? { kind: 'permit', permit } : { kind: 'permit', permit, transition: circuit.transition };
}

function circuitRefusal({ breaker }: Gate, now: number): Refusal | undefined {
  const refusal = isPassing(breaker) ? undefined : peek(breaker, now);
  if (refusal !== undefined || !isHeld(breaker, now)) return refusal;
  return { code: 'RATE_LIMITED', source: 'server_hint', retryAfterMs: waitMs(breaker.holdUntil, now) };
}

function waitForSlot(gate: Gate, retry: boolean, waiter: Waiter | undefined, now: number): Admission {
  if (!hasQueueRoom(gate.bulkhead) || !mayPass(gate, now))
    return { kind: 'refused', refusal: { code: 'BULKHEAD_FULL', source: 'bulkhead' } };
  if (waiter === undefined) payLimits(gate, retry, now);
  const ticket = enqueue(gate.bulkhead, {
    kind: 'first',
    attempts: 0,
    backlog: false,
    paid: true,
    bornAt: now,
    until: Infinity,
    backlogUntil: Infinity,
    dueAt: Infinity,
  });
  return { kind: 'wait', ticket };
}

function payLimits(gate: Gate, retry: boolean, now: number): void {
  payBudget(gate, retry, now);
  payRate(gate, undefined, now);
}

/** A probe is running now: from this process, or from another one of the fleet. */
export function isProbeOut({ breaker, probedElsewhereUntil }: Gate, now: number): boolean {
  if (isPassing(breaker) || breaker.mode !== 'auto') return false;
  return breaker.state === 'open'
    ? now < breaker.openUntil && breaker.openUntil === probedElsewhereUntil
    : breaker.probeOut && now < breaker.leaseUntil;
}

function withExpiry(answer: Admission, expired: CircuitTransition): Admission {
  if (answer.kind === 'permit' && answer.transition !== undefined) return { ...answer, earlierTransition: expired };
  return { ...answer, transition: expired };
}

const none: readonly never[] = [];

function one(transition: CircuitTransition | undefined): readonly CircuitTransition[] {
  return transition === undefined ? none : [transition];
}
