/**
 * Owns what an outcome changes at a gate that probes for recovery: the circuit records it; the limit, the usual share of failures and the budget learn from it.
 * Owns the order of these steps, and the share.
 *
 * 1. When a server rejects too many requests and names a wait, all calls obey it, and no failure is counted.
 * 2. Failures in a row belong to the usual share once a success has followed them. Those that opened the circuit were an outage, not chance, unless a probe
 *    succeeded at once.
 */
import { holdUntil, isHeld, record as recordOutcome } from '../breaker/breaker.ts';
import { neededRun } from '../breaker/chance-detector.ts';
import { learnAnswer, learnSuccess, loadOf, noteThrottled, wasFalseAlarm, type AdaptiveLimit } from './adaptive-limit.ts';
import { extendLease, lateSuccess } from './probing.ts';
import { countSuccess } from './retry-budget.ts';
import type { CircuitTransition, Gate, GateChange, GateSettings, Observation, Permit } from './types.ts';
import { changeOf, noteCircuit, unchanged } from './wake-waiters.ts';

/** Smoothing over about a hundred attempts, and ten times slower under a load that may be the cause of failures. */
const SHARE_FOLLOWS = 0.01;
const SHARE_FOLLOWS_LOADED = 0.001;

export function recordAndLearn(gate: Gate, learned: AdaptiveLimit, permit: Permit, observation: Observation, now: number): GateChange {
  const { breaker, bulkhead, probing } = gate;
  const { outcome, retryAfterMs, rateLimited = false, durationMs } = observation;
  noteCircuit(gate, now);
  const load = loadOf(learned, bulkhead.held, now);
  if (outcome === 'success') {
    if (gate.budget !== undefined) countSuccess(gate.budget, now);
    learnSuccess(learned, durationMs, load, bulkhead.queued, now);
  }
  const isHoldOnly = rateLimited && retryAfterMs !== undefined && detectsRuns(gate.settings);
  if (isHoldOnly) {
    if (!isHeld(breaker, now)) noteThrottled(learned);
    holdUntil(breaker, now + retryAfterMs, now);
    bulkhead.line.throttled = breaker.state === 'closed';
  } else if (outcome !== 'neutral' && breaker.state === 'closed') {
    if (outcome !== 'transient') learnShare(gate, breaker.failureCount);
    if (observation.timedOut !== true) learnAnswer(learned, outcome === 'transient', breaker.failureShare ?? 0, load, bulkhead.queued, now);
  }
  if (outcome === 'success') extendLease(breaker, permit, now);
  const first = recordOutcome(breaker, permit, isHoldOnly ? { outcome: 'neutral', durationMs } : observation, now);
  const late = lateSuccess(gate, permit, observation);
  if (first?.from === 'closed') probing.openedBy = first.failureCount;
  if (breaker.state === 'closed' && learned.openedAt !== undefined && wasFalseAlarm(learned, now)) learnShare(gate, probing.openedBy);
  noteCircuit(gate, now);
  if (first === undefined && late === undefined && retryAfterMs === undefined && bulkhead.queued === 0) return unchanged;
  const change = changeOf(gate, first?.reason === 'failure_threshold' ? withRunDetails(gate, first) : first, now);
  return late === undefined ? change : { ...change, transitions: [...change.transitions, late] };
}

function detectsRuns({ breaker }: GateSettings): boolean {
  return breaker !== false && breaker.falseAlarmRate !== undefined;
}

/** Counts a run of failures that a success has ended. */
function learnShare({ breaker, bulkhead, probing }: Gate, failures: number): void {
  // The first runs count in full, so that a tool that often fails is recognised early.
  const pace = Math.max(1 / (probing.answers + 1), bulkhead.queued === 0 ? SHARE_FOLLOWS : SHARE_FOLLOWS_LOADED);
  probing.answers += failures + 1;
  const others = (1 - (breaker.failureShare ?? 0)) * (failures === 0 ? 1 : (1 - pace) ** failures);
  breaker.failureShare = (1 - others) * (1 - pace);
}

function withRunDetails({ breaker, settings }: Gate, transition: CircuitTransition): CircuitTransition {
  if (!detectsRuns(settings)) return transition;
  return { ...transition, failureShare: Math.round((breaker.failureShare ?? 0) * 1000) / 1000, neededRun: neededRun(breaker) };
}
