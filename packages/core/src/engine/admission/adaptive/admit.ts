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
import { enqueue, hasFreeSlot, takeSlot } from '../bulkhead.ts';
import { payRate, rateRefusal } from '../rate-limiter.ts';
import { budgetRefusal, payBudget } from '../retry-budget.ts';
import type { Admission, AdmissionRequest, Refusal, RefusalCode, WaitReason } from '../types.ts';
import type { AdaptiveGate } from '../gate-state.ts';
import type { AttemptKind, Waiter } from '../waiting-line.ts';
import { isUp, runningIn } from './adaptive.ts';
import { countAnswers } from './latest-answers.ts';
import { numbers } from './numbers.ts';
import { mostTokens, noteCall } from './pace.ts';
import type { Adaptive } from './state.ts';
import { hasRoom } from './timeout-limit.ts';
import { isOverloaded, isSlow } from './usual-duration.ts';

const isFull: Refusal = { code: 'BULKHEAD_FULL', source: 'bulkhead' };
const isUnpaid: Refusal = { code: 'RETRY_BUDGET_EXHAUSTED', source: 'budget' };

/** What a call waits for that would be refused with this code if it could not wait. */
const waitReasons: Readonly<Record<RefusalCode, WaitReason>> = {
  BULKHEAD_FULL: 'concurrency',
  CIRCUIT_OPEN: 'recovery',
  RATE_LIMITED: 'retry_after',
  RETRY_BUDGET_EXHAUSTED: 'retry_budget',
};

export function admitAdaptive(gate: AdaptiveGate, request: AdmissionRequest, waiter: Waiter | undefined, now: number): Admission {
  const { retry } = request;
  if (gate.breaker.mode === 'forced_open') return { kind: 'refused', refusal: peek(gate.breaker, now) as Refusal };
  if (waiter?.state === 'turned_away' && now >= waiter.until) return { kind: 'refused', refusal: whyHeld(gate, retry, now) };
  if (waiter?.state === 'slot_kept') return start(gate, waiter.cost);
  const up = isUp(gate);
  if (waiter === undefined && !retry && up) noteCall(gate.adaptive.pace, now);
  const answer = up ? admitUp(gate, request, waiter, now) : admitDown(gate, request, waiter, now);
  if (waiter === undefined && answer.kind !== 'refused' && (up || !retry)) payBudget(gate.budget, retry, now);
  return answer;
}

function admitUp(gate: AdaptiveGate, request: AdmissionRequest, waiter: Waiter | undefined, now: number): Admission {
  const { adaptive, budget, bulkhead, limiter } = gate;
  const { failed, retry, slotUntil } = request;
  const paid = waiter?.paid === true;
  const unpaid = waiter === undefined ? budgetRefusal(budget, retry, now) : undefined;
  if (unpaid !== undefined) return { kind: 'refused', refusal: unpaid };
  if (!hasFreeSlot(bulkhead)) return wait(gate, request, paid, isFull, now, slotUntil);
  if (!hasRoom(adaptive.limit, runningIn(gate), now)) return wait(gate, request, paid, isFull, now);
  const limited = paid ? undefined : rateRefusal(limiter, now);
  if (limited !== undefined) return wait(gate, request, paid, limited, now, slotUntil);
  const kind = kindOf(request);
  const backlog = failed?.down === true;
  const isChosen = waiter?.state === 'probe_kept';
  const isNext = waiter === undefined && failed !== undefined && adaptive.pace.lastSentAt <= failed.startedAt;
  if (!isChosen && !mayStart(adaptive, kind, backlog, now, isNext)) {
    if (waiter === undefined && !backlog && !mayHelp(adaptive, kind, now)) return { kind: 'refused', refusal: isUnpaid };
    return wait(gate, request, paid, isUnpaid, now);
  }
  payRate(limiter, waiter, now);
  adaptive.pace.lastSentAt = now;
  return start(gate, isChosen ? 0 : pay(adaptive, kind, backlog));
}

function admitDown(gate: AdaptiveGate, request: AdmissionRequest, waiter: Waiter | undefined, now: number): Admission {
  const { adaptive, breaker, bulkhead, limiter } = gate;
  const paid = waiter?.paid === true;
  const refusal = whyDown(gate, waiter, now) ?? (hasFreeSlot(bulkhead) ? undefined : isFull);
  if (refusal !== undefined) return wait(gate, request, paid, refusal, now);
  const circuit = tryAcquire(breaker, now, request.timeLimitMs);
  if (circuit.kind === 'refused') return wait(gate, request, paid, circuit.refusal, now);
  payRate(limiter, waiter, now);
  // A probe that hangs holds the next one back for a while, not until its time limit.
  breaker.leaseUntil = now + Math.max(breaker.openMs / 2, numbers.hanging * adaptive.durations.usualMs);
  adaptive.probesRunning += 1;
  adaptive.pace.lastSentAt = now;
  return { kind: 'permit', permit: takeSlot(bulkhead, circuit.permit) };
}

function whyDown({ adaptive, breaker }: AdaptiveGate, waiter: Waiter | undefined, now: number): Refusal | undefined {
  const { probeKept, notBefore } = adaptive;
  const refusal = peek(breaker, now);
  if (refusal !== undefined || waiter?.state === 'probe_kept') return refusal;
  if (!probeKept && now >= notBefore) return undefined;
  const retryAfterMs = waitMs(probeKept ? Math.max(notBefore, now + breaker.settings.openMs) : notBefore, now);
  return { code: 'CIRCUIT_OPEN', source: 'probe_in_progress', retryAfterMs };
}

/** For a waiter whose time is over. */
function whyHeld(gate: AdaptiveGate, retry: boolean, now: number): Refusal {
  const { adaptive, breaker, bulkhead, limiter } = gate;
  const down = peek(breaker, now);
  if (down !== undefined) return down;
  if (!isUp(gate)) return { code: 'CIRCUIT_OPEN', source: 'circuit' };
  const lacksRoom = adaptive.limit.limit !== Infinity || !hasFreeSlot(bulkhead);
  return rateRefusal(limiter, now) ?? (lacksRoom && !retry ? isFull : isUnpaid);
}

/** Starts an attempt that has paid `cost` tokens. */
function start({ breaker, bulkhead }: AdaptiveGate, cost: number): Admission {
  return { kind: 'permit', permit: takeSlot(bulkhead, { generation: breaker.generation, probe: false, probeNumber: 0 }, cost) };
}

/** Waits for what `refusal` says, or is refused with it where its time is over. `paid`: it has paid the rate limit. */
function wait(gate: AdaptiveGate, request: AdmissionRequest, paid: boolean, refusal: Refusal, now: number, slotUntil?: number): Admission {
  const { bulkhead, adaptive } = gate;
  const { waitUntil = -Infinity, bornAt = now, failed, attempts = request.retry ? 1 : 0 } = request;
  const until = slotUntil ?? waitUntil;
  if (!(now < until) || bulkhead.queued >= bulkhead.queueLimit) return { kind: 'refused', refusal };
  const kind = kindOf(request);
  const lastChanceAt = bornAt + Math.min(numbers.lastChanceShare * (waitUntil - bornAt), numbers.lastChanceMs);
  const ticket = enqueue(bulkhead, {
    kind,
    attempts,
    backlog: !isUp(gate) || failed?.down === true,
    paid,
    bornAt,
    until,
    backlogUntil: waitUntil,
    dueAt: kind === 'first' ? Math.min(lastChanceAt, until) : until,
  });
  const limit = adaptive.limit.limit === Infinity ? undefined : Math.floor(adaptive.limit.limit);
  return { kind: 'wait', ticket, wait: waitReasons[refusal.code], retryAfterMs: refusal.retryAfterMs, limit, queued: bulkhead.queued };
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

/** Whether a retry is worth waiting for: not if it can never be paid, nor if the cause is in the call, since the tool answers others and hardly any retry. */
function mayHelp(adaptive: Adaptive, kind: AttemptKind, now: number): boolean {
  const { durations, failed, failureShare, limit, pace, paidShare, rejections } = adaptive;
  if (isOverloaded(durations) || limit.limit !== Infinity) return true;
  if (costOf(adaptive, kind, false) > mostTokens(pace)) return false;
  const answersOthers = now - failed.startedAt <= numbers.minSilenceMs + numbers.worthGaps * failed.successGapMs;
  // A tool that rejects calls as too many serves them later.
  const rejects = countAnswers(rejections) >= numbers.rejections;
  return !answersOthers || rejects || paidShare >= numbers.worthShare * (1 - failureShare);
}

/** What is added costs the more, the less of it has succeeded lately: the square of the attempts that one success took, but no more than every process may keep. */
function costOf({ paidShare }: Adaptive, kind: AttemptKind, backlog: boolean): number {
  if (kind === 'costly_retry') return numbers.workCost;
  if (kind === 'first' && !backlog) return 0;
  // All calls of the backlog cost the same, or those that cost less would always go first.
  return Math.min(numbers.firstTokens, Math.max(backlog ? 1 : numbers.retryCost, paidShare ** -numbers.costPower));
}
