/**
 * Owns the gate of one tool: one admission decision from circuit, server hold, retry budget, rate limit and bulkhead.
 * Owns the order of these checks and the life cycle of a permit. Each of the five keeps its own rules; control is in gate-control.ts.
 *
 * 1. Order: circuit, hold, budget, rate limit, bulkhead, then the circuit's permit: a refusal never holds a probe.
 * 2. A refusal keeps nothing: nothing is counted before all of them have agreed.
 * 3. A call that waits for a slot alone waits only while the circuit is closed and no hold is active: it never fails late behind a probe. Only calls that may wait
 * 3. A call that waits only for a slot waits only while the circuit is closed and no hold is active: it never fails late behind a probe. Only calls
 *    that may wait for recovery (`waitUntil`) wait for an open circuit, a hold or the rate limit; the gate wakes as many of them as may run (`wake-waiters.ts`).
 * 4. A slot is held from the permit to `release`; `record` does not free it, so work that outlives its timeout still counts.
 * 5. Each of record, release, orphaning and return takes effect once per permit; repeated, or after `release`, it does nothing.
 *    Only `record` after `release` still counts, unless the permit was a probe: that one was returned with its slot.
 * 6. Time never runs backwards: a reading earlier than the latest one counts as the latest.
 */
import { createBreaker, isHeld, isPassing, peek, record as recordOutcome, returnProbe, tryAcquire } from '../breaker/breaker.ts';
import { settleLease } from '../breaker/transition.ts';
import type { CircuitPermit } from '../breaker/types.ts';
import { waitMs } from '../breaker/wait.ts';
import { createBulkhead, enqueue, hasFreeSlot, hasQueueRoom, limitSlots, takeTicket } from './bulkhead.ts';
import { attemptBegan, attemptEnded } from './in-flight-ages.ts';
import { createAdaptiveLimit, type AdaptiveLimit } from './adaptive-limit.ts';
import { recordAndLearn } from './learning.ts';
import { createProbing, hasMaxProbes, probesForRecovery, noteDemand, probeStarted } from './probing.ts';
import { limitRefusal, payLimits } from './limits.ts';
import { limiterFor } from './rate-limiter.ts';
import { budgetFor, countSuccess } from './retry-budget.ts';
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
  WaitReason,
} from './types.ts';
import type { Waiter } from './waiting-line.ts';
import { changeOf, hasPlace, mayPass, noteCircuit, unchanged } from './wake-waiters.ts';

type MutablePermit = { -readonly [Name in keyof Permit]: Permit[Name] };

/** @throws TypeError or RangeError that names the setting, its value and the fix. */
export function createGate(settings: GateSettings): Gate {
  checkGateSettings(settings);
  const { breaker, concurrency, rateLimit, retryBudget } = settings;
  const gate: Gate = {
    settings,
    breaker: createBreaker(breaker === false ? {} : breaker),
    bulkhead: createBulkhead(),
    limiter: limiterFor(rateLimit),
    budget: budgetFor(retryBudget),
    adaptiveLimit: adaptiveLimitFor(settings),
    probing: createProbing(),
    probedElsewhereUntil: -Infinity,
    firstPlace: 0,
    latest: -Infinity,
  };
  if (breaker === false) gate.breaker.mode = 'disabled';
  limitSlots(gate.bulkhead, concurrency);
  return gate;
}

/** The adaptive limit that the settings ask for; a gate that probes for recovery has a slow start without one too. */
export function adaptiveLimitFor(settings: GateSettings, firstPlace = 0): AdaptiveLimit | undefined {
  const adaptive = settings.concurrency ? settings.concurrency.adaptive : undefined;
  return adaptive || probesForRecovery(settings) ? createAdaptiveLimit(adaptive || false, firstPlace) : undefined;
}

/** Requests the right to make one attempt. A waiter that was woken requests again with its ticket. */
export function admit(gate: Gate, request: AdmissionRequest, now: number): Admission {
  const time = timeAt(gate, now);
  const waiter = request.ticket === undefined ? undefined : takeBackTicket(gate, request.ticket);
  const expired = isPassing(gate.breaker) ? undefined : settleLease(gate.breaker, time);
  if (gate.adaptiveLimit !== undefined) {
    noteCircuit(gate, time);
    if (request.ticket === undefined && !request.retry) noteDemand(gate.probing, time);
  }
  const answer = decide(gate, request, waiter, time);
  return expired === undefined ? answer : withExpiry(answer, expired);
}

/** Records how the attempt ended. The slot stays taken until `release`. */
export function record(gate: Gate, permit: Permit, observation: Observation, now: number): GateChange {
  if (permit.recorded) return unchanged;
  const time = timeAt(gate, now);
  (permit as MutablePermit).recorded = true;
  if (permit.probe && !permit.released) gate.probing.out -= 1;
  if (gate.adaptiveLimit !== undefined) return recordAndLearn(gate, gate.adaptiveLimit, permit, observation, time);
  if (gate.budget !== undefined && observation.outcome === 'success') countSuccess(gate.budget, time);
  const transition = recordOutcome(gate.breaker, permit, observation, time);
  return transition === undefined && observation.retryAfterMs === undefined ? unchanged : changeOf(gate, transition, time);
}

/** The work has ended or was abandoned: its slot is free. A probe without an outcome is returned. */
export function release(gate: Gate, permit: Permit, now: number): GateChange {
  if (permit.released) return unchanged;
  const time = timeAt(gate, now);
  (permit as MutablePermit).released = true;
  gate.bulkhead.held -= 1;
  if (permit.orphaned) gate.bulkhead.orphaned -= 1;
  if (permit.place !== undefined && gate.adaptiveLimit !== undefined) attemptEnded(gate.adaptiveLimit.ages, permit.place);
  if (permit.probe && !permit.recorded) gate.probing.out -= 1;
  const transition = permit.recorded ? undefined : returnProbe(gate.breaker, permit, time);
  return transition === undefined && gate.bulkhead.queued === 0 ? unchanged : changeOf(gate, transition, time);
}

/** The permit was never used: nothing is recorded, slot and probe are free. Rate limit and budget are not refunded. */
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
}

/** A waiter gives up, woken or not. What was reserved for it goes to the next one. */
export function cancelWait(gate: Gate, ticket: number): GateChange {
  const waiter = takeBackTicket(gate, ticket);
  const frees = waiter?.state === 'slot_kept' || waiter?.state === 'probe_kept';
  return frees ? changeOf(gate, undefined, gate.latest) : unchanged;
}

/** Wakes the waiters that are due. `wakeAt` returns when to call this. */
export function wakeDueWaiters(gate: Gate, now: number): GateChange {
  return changeOf(gate, undefined, timeAt(gate, now));
}

/** The fleet, not the gate, refuses a new call or a woken waiter for now: the call waits, and no probe is woken before `notBefore`. */
export function waitForFleet(gate: Gate, request: AdmissionRequest, refusal: Refusal, now: number): Admission {
  const time = timeAt(gate, now);
  if (request.ticket !== undefined) takeBackTicket(gate, request.ticket);
  if (!isWorthWaiting(gate, request, refusal, time)) return { kind: 'refused', refusal };
  gate.probing.notBefore = Math.max(gate.probing.notBefore, time + (refusal.retryAfterMs ?? 0));
  return wait(gate, request, 'recovery', refusal, time);
}

/** Takes a ticket back; what was reserved for it is free. */
function takeBackTicket({ bulkhead, probing }: Gate, ticket: number): Waiter | undefined {
  const waiter = takeTicket(bulkhead, ticket);
  if (waiter?.state === 'probe_kept') probing.kept = false;
  return waiter;
}

export function timeAt(gate: Gate, now: number): number {
  if (now > gate.latest && now < Infinity) gate.latest = now;
  return gate.latest;
}

/** Between the time limit of a probe and the end of its lease. */
const PROBE_GRACE_MS = 1_000;

function decide(gate: Gate, request: AdmissionRequest, waiter: Waiter | undefined, now: number): Admission {
  const { retry, timeLimitMs = 0 } = request;
  const closed = circuitRefusal(gate, now);
  const refusal = closed ?? limitRefusal(gate, retry, waiter, now);
  if (refusal !== undefined) {
    const reason = closed?.code === 'CIRCUIT_OPEN' ? 'recovery' : 'retry_after';
    return isWorthWaiting(gate, request, refusal, now) ? wait(gate, request, reason, refusal, now) : { kind: 'refused', refusal };
  }
  const free = isPassing(gate.breaker) ? hasPlace(gate, now) : hasFreeSlot(gate.bulkhead);
  if (!free) return waitOrRefuse(gate, request, waiter, now);
  const circuit = tryAcquire(gate.breaker, now, timeLimitMs + PROBE_GRACE_MS);
  if (circuit.kind === 'refused') return circuit;
  if (circuit.permit.probe) probeStarted(gate, timeLimitMs + PROBE_GRACE_MS, now);
  payLimits(gate, retry, waiter, now);
  gate.bulkhead.held += 1;
  const permit = permitFor(circuit.permit, gate.adaptiveLimit && attemptBegan(gate.adaptiveLimit.ages, now));
  return circuit.transition === undefined ? { kind: 'permit', permit } : { kind: 'permit', permit, transition: circuit.transition };
}

function circuitRefusal(gate: Gate, now: number): Refusal | undefined {
  const { breaker } = gate;
  if (!isPassing(breaker)) {
    const refusal = peek(breaker, now) ?? probeRefusal(gate);
    if (refusal !== undefined) return refusal;
  }
  if (!isHeld(breaker, now)) return undefined;
  return { code: 'RATE_LIMITED', source: 'server_hint', retryAfterMs: waitMs(breaker.holdUntil, now) };
}

/** The probe is reserved for a waiter, or the maximum number of probes is running. */
function probeRefusal({ breaker, probing, settings }: Gate): Refusal | undefined {
  if (breaker.mode === 'shadow' || (!probing.kept && !hasMaxProbes(probing, settings))) return undefined;
  return { code: 'CIRCUIT_OPEN', source: 'probe_in_progress', retryAfterMs: waitMs(breaker.settings.openMs, 0) };
}

function waitOrRefuse(gate: Gate, request: AdmissionRequest, waiter: Waiter | undefined, now: number): Admission {
  const { retry, bornAt = now, waitUntil = -Infinity } = request;
  const patient = now < waitUntil;
  if (!hasQueueRoom(gate.bulkhead) || !(patient || (waitUntil === -Infinity && mayPass(gate, now))))
    return { kind: 'refused', refusal: { code: 'BULKHEAD_FULL', source: 'bulkhead' } };
  payLimits(gate, retry, waiter, now);
  const ticket = enqueue(gate.bulkhead, { retry, paid: true, patient, bornAt, until: patient ? waitUntil : Infinity });
  return patient ? waitAnswer(gate, ticket, 'concurrency', undefined) : { kind: 'wait', ticket };
}

/** Whether the wait may end before the call's own time limit does. */
function isWorthWaiting(gate: Gate, { waitUntil = -Infinity }: AdmissionRequest, refusal: Refusal, now: number): boolean {
  const { retryAfterMs, source } = refusal;
  if (retryAfterMs === undefined) return false;
  // A probe may end at any time: only when its lease ends is known.
  const isProbed = source === 'probe_in_progress' || (source === 'circuit' && isProbeOut(gate, now));
  return now + (isProbed ? 0 : retryAfterMs) < waitUntil;
}

/** A probe is running now: from this process, or from another one of the fleet. */
export function isProbeOut({ breaker, probedElsewhereUntil }: Gate, now: number): boolean {
  if (isPassing(breaker) || breaker.mode !== 'auto') return false;
  return breaker.state === 'open'
    ? now < breaker.openUntil && breaker.openUntil === probedElsewhereUntil
    : breaker.probeOut && now < breaker.leaseUntil;
}

function wait(gate: Gate, request: AdmissionRequest, reason: WaitReason, refusal: Refusal, now: number): Admission {
  if (!hasQueueRoom(gate.bulkhead)) return { kind: 'refused', refusal };
  const { retry, bornAt = now, waitUntil = now } = request;
  const ticket = enqueue(gate.bulkhead, { retry, paid: false, patient: true, bornAt, until: waitUntil });
  return waitAnswer(gate, ticket, reason, refusal.retryAfterMs);
}

function waitAnswer({ bulkhead, adaptiveLimit }: Gate, ticket: number, reason: WaitReason, retryAfterMs: number | undefined): Admission {
  const limit = adaptiveLimit === undefined || adaptiveLimit.limit === Infinity ? undefined : Math.floor(adaptiveLimit.limit);
  return { kind: 'wait', ticket, wait: reason, retryAfterMs, limit, queued: bulkhead.queued };
}

function permitFor({ generation, probe, probeNumber }: CircuitPermit, place: number | undefined): Permit {
  if (place === undefined) return { generation, probe, probeNumber, recorded: false, released: false, orphaned: false };
  return { generation, probe, probeNumber, recorded: false, released: false, orphaned: false, place };
}

function withExpiry(answer: Admission, expired: CircuitTransition): Admission {
  if (answer.kind === 'permit' && answer.transition !== undefined) return { ...answer, earlierTransition: expired };
  return { ...answer, transition: expired };
}
