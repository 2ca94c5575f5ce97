/**
 * What would have changed a decision, derived from the checks that failed: `max_attempts > 5`. It speaks of the decision
 * only; whether another attempt would have succeeded nobody knows.
 */
import type { DecisionInputs, Guard } from '@holdfast/core';
import { groupGuards, guardName, guardSubject, isIdleWay, type DecisionView, type Way } from '@holdfast/core/turn-view';
import { text, time, timeOrNone, word } from '@holdfast/core/internal';
import { duration } from '../text/format.ts';

/** One sentence per way that was closed and stood before the one taken. None when the first choice was taken. */
export function otherwise({ decision, inputs }: DecisionView): readonly string[] {
  if (decision.action === 'retry') return [];
  const sentences = groupGuards(decision.guards).flatMap(({ way, guards }) => {
    const failed = guards.filter((guard) => guard.passed !== true);
    if (failed.length === 0 || isIdleWay(way, inputs)) return [];
    return [`${wouldHave[way]} with ${[...new Set(failed.map((guard) => conditionFor(guard, inputs)))].join(' and ')}`];
  });
  return [...new Set(sentences)];
}

const wouldHave: Readonly<Record<Way, string>> = {
  partial: 'would have accepted the partial output',
  retry: 'would have been retried',
  alternative: 'would have gone to the alternative',
  fallback: 'would have been answered',
  other: 'would have continued',
};

type Condition = (inputs: DecisionInputs, guard: Guard) => string;

const conditions: Readonly<Record<string, Condition>> = {
  timed_out: () => 'a timeout',
  partial_accepted: () => 'accept_partial: true',
  transient: (inputs) => `a transient error (rule ${text(inputs.rule, 'unknown')} says ${text(inputs.classification)})`,
  circuit_closed: (inputs) => (inputs.probe === true ? 'an attempt that was no probe' : 'the circuit closed'),
  safe_to_repeat: () => 'effect: read or idempotent',
  safe_to_replace: () => 'effect: read or idempotent',
  attempts_left: (inputs) => `max_attempts > ${time(inputs.attempts)}`,
  worth_retrying: () => 'better experience with retries',
  retry_time_left: (inputs) => `max_total_time_ms > ${Math.round(time(inputs.retryElapsedMs) + time(inputs.nextDelayMs))}`,
  turn_time_left: (inputs) => `more than ${duration(time(inputs.nextDelayMs))} left in the turn${leftOf(inputs)}`,
  retry_budget_left: () => "a retry left in the tool's budget",
  turn_retries_left: () => "a retry left in the turn's budget",
  alternative_available: (_inputs, guard) => `${guardSubject(guard)} available (circuit ${word(guard.value)})`,
  fallback_declared: () => 'a fallback value',
  not_cancelled: () => 'the call not cancelled',
};

function leftOf(inputs: DecisionInputs): string {
  const left = timeOrNone(inputs.turnTimeLeftMs);
  return left === undefined ? '' : ` (it had ${duration(left)})`;
}

function conditionFor(guard: Guard, inputs: DecisionInputs): string {
  const name = guardName(guard);
  if (name.startsWith('rule_allows_')) return `no policy '${word(guard.value)}' against it`;
  const known = Object.hasOwn(conditions, name) ? conditions[name] : undefined;
  if (known !== undefined) return known(inputs, guard);
  const words = text(guard.guard, 'a check').replaceAll('_', ' ');
  return guard.limit === undefined ? `${words} passing` : `${words} within ${word(guard.limit)}`;
}
