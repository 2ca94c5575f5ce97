/**
 * The gate of one tool: circuit, server hold, retry budget, rate limit and bulkhead asked as one question.
 * Owns the order of the questions and the life of a permit. Each of the five keeps its own rules; control is in gate-control.ts.
 *
 * 1. Order: circuit, hold, budget, rate limit, bulkhead, then the circuit's permit: a refusal never holds a probe.
 * 2. A refusal keeps nothing: nothing is counted before all have agreed.
 * 3. The queue is empty unless a call would pass the circuit freely and no hold runs: nobody waits behind a probe.
 * 4. A slot is held from the permit to `release`; `record` does not free it, so work that outlives its timeout still counts.
 * 5. Each of record, release, orphaning and return happens once per permit; again, or after `release`, it does nothing.
 *    Only `record` after `release` still counts, unless the permit was a probe: that one went back with its slot.
 * 6. Time never runs backwards: a reading earlier than the latest counts as the latest.
 */
import {
  circuitState,
  createBreaker,
  isHeld,
  isPassing,
  peek,
  record as recordOutcome,
  returnProbe,
  tryAcquire,
} from '../breaker/breaker.ts';
import { settleLease } from '../breaker/transition.ts';
import type { CircuitPermit } from '../breaker/types.ts';
import { waitMs } from '../breaker/wait.ts';
import { createBulkhead, enqueue, hasFreeSlot, hasQueueRoom, limitSlots, redeem, turnOutAll, wakeIntoSlots } from './bulkhead.ts';
import { countCall, limiterFor, limiterFreeAt } from './rate-limiter.ts';
import { budgetFor, budgetFreeAt, countAttempt, retriesLeft } from './retry-budget.ts';
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

type MutablePermit = { -readonly [Name in keyof Permit]: Permit[Name] };

const nobody: readonly number[] = Object.freeze([]);
/** Shared by every step that changed nothing for anybody else. */
export const unchanged: GateChange = Object.freeze({ transitions: Object.freeze([]), woken: nobody });

/** @throws TypeError or RangeError naming the setting, its value and the mend. */
export function createGate(settings: GateSettings): Gate {
  checkGateSettings(settings);
  const { breaker, concurrency, rateLimit, retryBudget } = settings;
  const gate: Gate = {
    settings,
    breaker: createBreaker(breaker === false ? {} : breaker),
    bulkhead: createBulkhead(),
    limiter: limiterFor(rateLimit),
    budget: budgetFor(retryBudget),
    latest: -Infinity,
  };
  if (breaker === false) gate.breaker.mode = 'disabled';
  limitSlots(gate.bulkhead, concurrency);
  return gate;
}

/** Asks for the right to make one attempt. A waiter that was woken asks again with its ticket. */
export function admit(gate: Gate, request: AdmissionRequest, now: number): Admission {
  const time = timeAt(gate, now);
  const waiter = request.ticket === undefined ? undefined : redeem(gate.bulkhead, request.ticket);
  const expired = isPassing(gate.breaker) ? undefined : settleLease(gate.breaker, time);
  const answer = decide(gate, request, waiter !== undefined, time);
  return expired === undefined ? answer : withExpiry(answer, expired);
}

/** Tells the circuit how the attempt ended. The slot stays taken until `release`. */
export function record(gate: Gate, permit: Permit, observation: Observation, now: number): GateChange {
  if (permit.recorded) return unchanged;
  const time = timeAt(gate, now);
  (permit as MutablePermit).recorded = true;
  const transition = recordOutcome(gate.breaker, permit, observation, time);
  return transition === undefined && observation.retryAfterMs === undefined ? unchanged : changeOf(gate, transition, time);
}

/** The work has really ended, or was abandoned for good: its slot is free. A probe that told nothing goes back. */
export function release(gate: Gate, permit: Permit, now: number): GateChange {
  if (permit.released) return unchanged;
  const time = timeAt(gate, now);
  (permit as MutablePermit).released = true;
  gate.bulkhead.held -= 1;
  if (permit.orphaned) gate.bulkhead.orphaned -= 1;
  const transition = permit.recorded ? undefined : returnProbe(gate.breaker, permit, time);
  return transition === undefined && gate.bulkhead.queued === 0 ? unchanged : changeOf(gate, transition, time);
}

/** The permit was never used: nothing is recorded, slot and probe are free. Limits it has paid are not paid back. */
export function returnPermit(gate: Gate, permit: Permit, now: number): GateChange {
  const change = release(gate, permit, now);
  (permit as MutablePermit).recorded = true;
  return change;
}

/** The call has its answer (a timeout) but its work goes on: the slot stays taken and is counted as orphaned. */
export function markOrphaned(gate: Gate, permit: Permit): void {
  if (permit.released || permit.orphaned) return;
  (permit as MutablePermit).orphaned = true;
  gate.bulkhead.orphaned += 1;
}

/** A waiter gives up, woken or not. A slot kept for it goes to the next. */
export function cancelWait(gate: Gate, ticket: number): GateChange {
  const state = redeem(gate.bulkhead, ticket);
  return state === 'slot_kept' && gate.bulkhead.queued > 0 ? { transitions: [], woken: wakeIntoSlots(gate.bulkhead) } : unchanged;
}

/** Wakes whom a change concerns: everybody when calls do not pass freely any more, else as many as there are slots. */
export function wakeWaiters(gate: Gate, now: number): readonly number[] {
  if (gate.bulkhead.queued === 0) return nobody;
  return mayWait(gate, now) ? wakeIntoSlots(gate.bulkhead) : turnOutAll(gate.bulkhead);
}

export function timeAt(gate: Gate, now: number): number {
  if (now > gate.latest && now < Infinity) gate.latest = now;
  return gate.latest;
}

/** Between the time limit of a probe and the end of its lease. */
const PROBE_GRACE_MS = 1_000;

function decide(gate: Gate, { retry, timeLimitMs = 0 }: AdmissionRequest, hasPaid: boolean, now: number): Admission {
  const refusal = circuitRefusal(gate, now) ?? (hasPaid ? undefined : limitRefusal(gate, retry, now));
  if (refusal !== undefined) return { kind: 'refused', refusal };
  if (!hasFreeSlot(gate.bulkhead)) return waitOrRefuse(gate, retry, hasPaid, now);
  const circuit = tryAcquire(gate.breaker, now, timeLimitMs + PROBE_GRACE_MS);
  if (circuit.kind === 'refused') return circuit;
  if (!hasPaid) pay(gate, retry, now);
  gate.bulkhead.held += 1;
  const permit = permitFor(circuit.permit);
  return circuit.transition === undefined ? { kind: 'permit', permit } : { kind: 'permit', permit, transition: circuit.transition };
}

function circuitRefusal(gate: Gate, now: number): Refusal | undefined {
  const { breaker } = gate;
  if (!isPassing(breaker)) {
    const refusal = peek(breaker, now);
    if (refusal !== undefined) return refusal;
  }
  if (!isHeld(breaker, now)) return undefined;
  return { code: 'RATE_LIMITED', source: 'server_hint', retryAfterMs: waitMs(breaker.holdUntil, now) };
}

function limitRefusal(gate: Gate, retry: boolean, now: number): Refusal | undefined {
  if (retry && gate.budget !== undefined && retriesLeft(gate.budget, now) === 0) {
    const freeAt = budgetFreeAt(gate.budget, now);
    const refusal: Refusal = { code: 'RETRY_BUDGET_EXHAUSTED', source: 'budget' };
    return freeAt === undefined ? refusal : { ...refusal, retryAfterMs: waitMs(freeAt, now) };
  }
  if (gate.limiter === undefined) return undefined;
  const freeAt = limiterFreeAt(gate.limiter);
  return now >= freeAt ? undefined : { code: 'RATE_LIMITED', source: 'limiter', retryAfterMs: waitMs(freeAt, now) };
}

function waitOrRefuse(gate: Gate, retry: boolean, hasPaid: boolean, now: number): Admission {
  if (!mayWait(gate, now) || !hasQueueRoom(gate.bulkhead)) {
    return { kind: 'refused', refusal: { code: 'BULKHEAD_FULL', source: 'bulkhead' } };
  }
  if (!hasPaid) pay(gate, retry, now);
  return { kind: 'wait', ticket: enqueue(gate.bulkhead) };
}

function pay(gate: Gate, retry: boolean, now: number): void {
  if (gate.budget !== undefined) countAttempt(gate.budget, retry, now);
  if (gate.limiter !== undefined) countCall(gate.limiter, now);
}

function mayWait(gate: Gate, now: number): boolean {
  const { breaker } = gate;
  if (isHeld(breaker, now)) return false;
  return breaker.mode === 'shadow' || circuitState(breaker, now) === 'closed';
}

function permitFor(circuit: CircuitPermit): Permit {
  return {
    generation: circuit.generation,
    probe: circuit.probe,
    probeNumber: circuit.probeNumber,
    recorded: false,
    released: false,
    orphaned: false,
  };
}

function withExpiry(answer: Admission, expired: CircuitTransition): Admission {
  if (answer.kind === 'permit' && answer.transition !== undefined) return { ...answer, earlierTransition: expired };
  return { ...answer, transition: expired };
}

function changeOf(gate: Gate, transition: CircuitTransition | undefined, now: number): GateChange {
  const woken = wakeWaiters(gate, now);
  if (transition === undefined && woken.length === 0) return unchanged;
  return { transitions: transition === undefined ? [] : [transition], woken };
}
