/**
 * What would have changed a decision, derived from the failed checks: `max_attempts > 5`. This is about the decision only:
 * whether another attempt would have succeeded is unknown.
 */
import type { DecisionInputs, Guard } from '@holdfast/core';
import {
  groupByStrategy,
  guardName,
  guardSubject,
  isInapplicable,
  type CheckedStrategy,
  type DecisionView,
} from '@holdfast/core/turn-view';
import { text, time, timeOrNone, word } from '@holdfast/core/internal';
import { formatDuration } from '../text/format.ts';

/** One sentence per strategy that was ruled out before the chosen one. None if the first choice was taken. */
export function describeCounterfactuals({ decision, inputs }: DecisionView): readonly string[] {
  if (decision.action === 'retry') return [];
  const sentences = groupByStrategy(decision.guards).flatMap(({ strategy, guards }) => {
    const failed = guards.filter((guard) => guard.passed !== true);
    if (failed.length === 0 || isInapplicable(strategy, inputs)) return [];
    return [`${wouldHave[strategy]} with ${[...new Set(failed.map((guard) => conditionFor(guard, inputs)))].join(' and ')}`];
  });
  return [...new Set(sentences)];
}

const wouldHave: Readonly<Record<CheckedStrategy, string>> = {
  partial: 'would have accepted the partial output',
  retry: 'would have been retried',
  alternative: 'would have used the alternative',
  fallback: 'would have succeeded',
  other: 'would have continued',
};

type Condition = (inputs: DecisionInputs, guard: Guard) => string;

const conditions: Readonly<Record<string, Condition>> = {
  timed_out: () => 'a timeout',
  partial_accepted: () => 'accept_partial: true',
  transient: (inputs) => `a transient error (rule ${text(inputs.rule, 'unknown')} classified it as ${text(inputs.classification)})`,
  unknown_failures: (inputs) => (isRepeatable(inputs) ? 'unknown_failures: retry' : 'effect: read or idempotent'),
  circuit_closed: (inputs) => (inputs.probe === true ? 'an attempt that is not a probe' : 'a closed circuit'),
  safe_to_repeat: () => 'effect: read or idempotent',
  safe_to_replace: () => 'effect: read or idempotent',
  attempts_left: (inputs) => `max_attempts > ${time(inputs.attempts)}`,
  worth_retrying: () => 'a better success rate of past retries',
  retry_time_left: (inputs) => `max_total_time_ms > ${Math.round(time(inputs.retryElapsedMs) + time(inputs.nextDelayMs))}`,
  turn_time_left: (inputs) => `more than ${formatDuration(time(inputs.nextDelayMs))} left in the turn${timeLeftText(inputs)}`,
  retry_budget_left: () => "a retry left in the tool's retry budget",
  turn_retries_left: () => "a retry left in the turn's retry budget",
  alternative_available: (_inputs, guard) => `${guardSubject(guard)} available (circuit ${word(guard.value)})`,
  fallback_declared: () => 'a fallback value',
  not_cancelled: () => 'no cancellation of the call',
};

function isRepeatable({ effect }: DecisionInputs): boolean {
  return effect === 'read' || effect === 'idempotent';
}

function timeLeftText(inputs: DecisionInputs): string {
  const left = timeOrNone(inputs.turnTimeLeftMs);
  return left === undefined ? '' : ` (it had ${formatDuration(left)})`;
}

function conditionFor(guard: Guard, inputs: DecisionInputs): string {
  const name = guardName(guard);
  if (name.startsWith('rule_allows_')) return `no recovery rule '${word(guard.value)}' against it`;
  const known = Object.hasOwn(conditions, name) ? conditions[name] : undefined;
  if (known !== undefined) return known(inputs, guard);
  const words = text(guard.guard, 'a check').replaceAll('_', ' ');
  return guard.limit === undefined ? `${words} passing` : `${words} within ${word(guard.limit)}`;
}
