/**
 * Owns the admission of one attempt at a gate whose calls wait for recovery: it starts, waits in the line, or is refused.
 *
 * 1. While the tool is up, a first attempt waits only for a slot, a rate limit, or the limit that time-outs have set.
 * 2. A retry also needs tokens, and so does every call of the backlog.
 * 3. While the tool is down, one attempt at a time probes it; all others wait.
 * 4. A call waits only while its own time lasts; one that cannot wait is refused at once.
 */
import { peek, tryAcquire } from '../../breaker/breaker.ts';
import { waitMs } from '../../breaker/wait.ts';
import { enqueue, hasFreeSlot, hasQueueRoom } from '../bulkhead.ts';
import { takeSlot } from '../permit.ts';
import { probeLeaseMs } from '../probe-lease.ts';
import { budgetRefusal, payBudget, payRate, rateRefusal } from '../limits.ts';
import type { Admission, AdmissionRequest, Gate, Refusal, WaitReason } from '../types.ts';
import type { AttemptKind, Waiter } from '../waiting-line.ts';
import { isUp, probeStarted, runningIn } from './adaptive.ts';
import { countAnswers } from './latest-answers.ts';
import { numbers } from './numbers.ts';
import { mostTokens, noteCall } from './pace.ts';
import type { Adaptive } from './state.ts';
import { hasRoom } from './timeout-limit.ts';
import { isSlow } from './usual-duration.ts';

export function admitAdaptive(
  gate: Gate,
  adaptive: Adaptive,
  request: AdmissionRequest,
  waiter: Waiter | undefined,
  now: number,
): Admission {
  if (gate.breaker.mode === 'forced_open') return { kind: 'refused', refusal: peek(gate.breaker, now) as Refusal };
  if (waiter?.state === 'turned_away' && now >= waiter.until) return { kind: 'refused', refusal: whyHeld(gate, request, now) };
  if (waiter?.state === 'slot_kept') return start(gate, waiter.cost);
  const up = isUp(gate);
  if (waiter === undefined && !request.retry && up) noteCall(adaptive.pace, now);
  const answer = up ? admitUp(gate, adaptive, request, waiter, now) : admitDown(gate, adaptive, request, waiter, now);
  if (waiter === undefined && answer.kind !== 'refused' && (up || !request.retry)) payBudget(gate, request.retry, now);
  return answer;
}

function admitUp(gate: Gate, adaptive: Adaptive, request: AdmissionRequest, waiter: Waiter | undefined, now: number): Admission {
  const kind = kindOf(request);
  const backlog = request.failed?.down === true;
  const unpaid = waiter === undefined ? budgetRefusal(gate, request.retry, now) : undefined;
  if (unpaid !== undefined) return { kind: 'refused', refusal: unpaid };
  const hasSlot = hasFreeSlot(gate.bulkhead);
  if (!hasSlot || !hasRoom(adaptive.limit, runningIn(gate, adaptive), now)) {
    const until = hasSlot ? request.waitUntil : request.slotUntil;
    return wait(gate, request, { kind, waiter, reason: 'concurrency', refusal: { code: 'BULKHEAD_FULL', source: 'bulkhead' }, until }, now);
  }
  const refusal = waiter?.paid ? undefined : rateRefusal(gate, now);
  if (refusal !== undefined) return wait(gate, request, { kind, waiter, reason: 'retry_after', refusal, until: request.slotUntil }, now);
  const isChosen = waiter?.state === 'probe_kept';
  if (!isChosen && !mayStart(adaptive, kind, backlog, now, waiter === undefined && isNext(adaptive, request))) {
    const unaffordable: Refusal = { code: 'RETRY_BUDGET_EXHAUSTED', source: 'budget' };
    if (waiter === undefined && !backlog && !mayHelp(adaptive, kind)) return { kind: 'refused', refusal: unaffordable };
    return wait(gate, request, { kind, waiter, reason: 'retry_budget', refusal: unaffordable }, now);
  }
  payRate(gate, waiter, now);
  adaptive.pace.lastSentAt = now;
  return start(gate, isChosen ? 0 : pay(adaptive, kind, backlog));
}

function admitDown(gate: Gate, adaptive: Adaptive, request: AdmissionRequest, waiter: Waiter | undefined, now: number): Admission {
  const { breaker } = gate;
  const kind = kindOf(request);
  const refusal = whyDown(gate, adaptive, waiter, now);
  if (refusal !== undefined) return wait(gate, request, { kind, waiter, reason: 'recovery', refusal }, now);
  if (!hasFreeSlot(gate.bulkhead))
    return wait(gate, request, { kind, waiter, reason: 'concurrency', refusal: { code: 'BULKHEAD_FULL', source: 'bulkhead' } }, now);
  const circuit = tryAcquire(breaker, now, probeLeaseMs(request.timeLimitMs));
  if (circuit.kind === 'refused') return wait(gate, request, { kind, waiter, reason: 'recovery', refusal: circuit.refusal }, now);
  payRate(gate, waiter, now);
  if (circuit.permit.probe) probeStarted(gate, adaptive, now);
  adaptive.pace.lastSentAt = now;
  const permit = takeSlot(gate, circuit.permit);
  const { transition, earlierTransition } = circuit;
  return {
    kind: 'permit',
    permit,
    ...(transition === undefined ? {} : { transition }),
    ...(earlierTransition === undefined ? {} : { earlierTransition }),
  };
}

function whyDown({ breaker }: Gate, { probeKept, notBefore }: Adaptive, waiter: Waiter | undefined, now: number): Refusal | undefined {
  const refusal = peek(breaker, now);
  if (refusal !== undefined || waiter?.state === 'probe_kept') return refusal;
  if (!probeKept && now >= notBefore) return undefined;
  const retryAfterMs = waitMs(probeKept ? Math.max(notBefore, now + breaker.settings.openMs) : notBefore, now);
  return { code: 'CIRCUIT_OPEN', source: 'probe_in_progress', retryAfterMs };
}

/** For a waiter whose time is over. */
function whyHeld(gate: Gate, { retry }: AdmissionRequest, now: number): Refusal {
  const down = peek(gate.breaker, now);
  if (down !== undefined) return down;
  if (!isUp(gate)) return { code: 'CIRCUIT_OPEN', source: 'circuit' };
  const limited = rateRefusal(gate, now);
  if (limited !== undefined) return limited;
  const isFull = gate.adaptive?.limit.limit !== Infinity || !hasFreeSlot(gate.bulkhead);
  return isFull && !retry ? { code: 'BULKHEAD_FULL', source: 'bulkhead' } : { code: 'RETRY_BUDGET_EXHAUSTED', source: 'budget' };
}

/** Starts an attempt that has paid `cost` tokens. */
function start(gate: Gate, cost: number): Admission {
  return { kind: 'permit', permit: takeSlot(gate, { generation: gate.breaker.generation, probe: false, probeNumber: 0 }, cost) };
}

interface Held {
  readonly kind: AttemptKind;
  readonly waiter: Waiter | undefined;
  readonly reason: WaitReason;
  readonly refusal: Refusal;
  /** @default as the request says for calls that wait for recovery */
  readonly until?: number | undefined;
}

function wait(gate: Gate, request: AdmissionRequest, { kind, waiter, reason, refusal, until: own }: Held, now: number): Admission {
  const { waitUntil = -Infinity, bornAt = now, failed, attempts = request.retry ? 1 : 0 } = request;
  const { bulkhead, adaptive } = gate;
  const until = own ?? waitUntil;
  if (!(now < until) || !hasQueueRoom(bulkhead)) return { kind: 'refused', refusal };
  const lastChanceAt = bornAt + Math.min(numbers.lastChanceShare * (waitUntil - bornAt), numbers.lastChanceMs);
  const ticket = enqueue(bulkhead, {
    kind,
    attempts,
    backlog: !isUp(gate) || failed?.down === true,
    paid: waiter?.paid ?? false,
    bornAt,
    until,
    backlogUntil: waitUntil,
    dueAt: kind === 'first' ? Math.min(lastChanceAt, until) : until,
  });
  const limit = adaptive === undefined || adaptive.limit.limit === Infinity ? undefined : Math.floor(adaptive.limit.limit);
  return { kind: 'wait', ticket, wait: reason, retryAfterMs: refusal.retryAfterMs, limit, queued: bulkhead.queued };
}

function kindOf({ retry, failed, hedge }: AdmissionRequest): AttemptKind {
  if (!retry) return 'first';
  return hedge || failed?.timedOut ? 'costly_retry' : 'retry';
}

/**
 * Whether such an attempt may start now. Only first attempts start while the tool is slow, time-outs limit it, or it rejects calls: nothing is added to it.
 * @param isNext nothing has started since the attempt before of the same call
 */
export function mayStart(adaptive: Adaptive, kind: AttemptKind, backlog: boolean, now: number, isNext = false): boolean {
  const { durations, limit, pace } = adaptive;
  if (kind === 'first' && !backlog) return true;
  if (kind !== 'first' && (limit.limit !== Infinity || (now < rejectingUntil(adaptive) && !isNext))) return false;
  return pace.tokens >= costOf(adaptive, kind, backlog) && !isSlow(durations);
}

function isNext({ pace }: Adaptive, { failed }: AdmissionRequest): boolean {
  return failed !== undefined && pace.lastSentAt <= failed.startedAt;
}

/**
 * Until when no retry starts because several of the latest answers rejected a call as one too many: a retry would take the place of another call, and many limiters
 * count what they reject.
 */
export function rejectingUntil({ rejectedAt, rejections }: Adaptive): number {
  return countAnswers(rejections) >= numbers.rejections ? rejectedAt + numbers.rejectedMs : -Infinity;
}

/** Returns what was paid. */
export function pay(adaptive: Adaptive, kind: AttemptKind, backlog: boolean): number {
  const cost = costOf(adaptive, kind, backlog);
  adaptive.pace.tokens -= cost;
  return cost;
}

/** Whether a retry is worth waiting for: not if it can never be paid, nor if the tool serves first attempts as usual while almost all of its retries fail. */
function mayHelp(adaptive: Adaptive, kind: AttemptKind): boolean {
  const { durations, failureShare, limit, pace, paidShare, rejections } = adaptive;
  // A tool that is overloaded or rejects calls as too many serves them later.
  if (isSlow(durations) || limit.limit !== Infinity || countAnswers(rejections) >= numbers.rejections) return true;
  return costOf(adaptive, kind, false) <= mostTokens(pace) && paidShare >= numbers.worthShare * (1 - failureShare);
}

/** What is added costs the more, the less of it has succeeded lately: the square of the attempts that one success took, but no more than every process may keep. */
function costOf({ paidShare }: Adaptive, kind: AttemptKind, backlog: boolean): number {
  if (kind === 'costly_retry') return numbers.workCost;
  if (kind === 'first' && !backlog) return 0;
  // All calls of the backlog cost the same, or those that cost less would always go first.
  return Math.min(numbers.firstTokens, Math.max(backlog ? 1 : numbers.retryCost, paidShare ** -numbers.costPower));
}
