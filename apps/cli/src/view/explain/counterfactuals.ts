/** Renders what would have changed a decision: `would have been retried with max_attempts > 5`. */
import type { DecisionInputs } from '@holdfast/core';
import {
  counterfactuals,
  guardSubject,
  type CheckedStrategy,
  type Counterfactual,
  type DecisionView,
  type FailedCheck,
} from '@holdfast/core/turn-view';
import { text, timeOrNone, word } from '@holdfast/core/internal';
import { formatDuration } from '../text/format.ts';

/** One sentence per strategy that was ruled out before the chosen one. None if the first choice was taken. */
export function describeCounterfactuals(view: DecisionView): readonly string[] {
  return [...new Set(counterfactuals(view).map((each) => sentenceFor(each, view.inputs)))];
}

function sentenceFor({ strategy, failed, dependent }: Counterfactual, inputs: DecisionInputs): string {
  const conditions = [...new Set(failed.map((check) => conditionFor(check, inputs)))].join(' and ');
  return `${wouldHave[strategy]} with ${conditions}${dependent.length === 0 ? '' : ', if there was time left for it'}`;
}

const wouldHave: Readonly<Record<CheckedStrategy, string>> = {
  partial: 'would have accepted the partial output',
  retry: 'would have been retried',
  alternative: 'would have used the alternative',
  fallback: 'would have succeeded',
  other: 'would have continued',
};

type Words = (check: FailedCheck, inputs: DecisionInputs) => string;

const conditions: Readonly<Record<string, Words>> = {
  timed_out: () => 'a timeout',
  partial_accepted: () => 'accept_partial: true',
  transient: (_check, inputs) => `a transient error (rule ${text(inputs.rule, 'unknown')} classified it as ${text(inputs.classification)})`,
  unknown_failures: (_check, inputs) => (isRepeatable(inputs) ? 'unknown_failures: retry' : 'effect: read or idempotent'),
  admitted: () => 'an admitted attempt: a retry does not help against a refusal',
  circuit_closed: () => 'a closed circuit',
  not_a_probe: () => 'an attempt that is not a probe',
  may_wait: ({ threshold = 0 }) => `more than ${formatDuration(threshold)} to wait for recovery`,
  no_alternative: () => 'no alternative available',
  safe_to_repeat: () => 'effect: read or idempotent',
  safe_to_replace: () => 'effect: read or idempotent',
  attempts_left: ({ threshold }) => `max_attempts > ${threshold}`,
  worth_retrying: () => 'a better success rate of past retries',
  retry_time_left: ({ threshold }) => `max_total_time_ms > ${threshold}`,
  turn_time_left: ({ threshold = 0 }, inputs) => `more than ${formatDuration(threshold)} left in the turn${timeLeftText(inputs)}`,
  retry_budget_left: () => "a retry left in the tool's retry budget",
  turn_retries_left: () => "a retry left in the turn's retry budget",
  alternative_available: ({ guard }) => `${guardSubject(guard)} available (circuit ${word(guard.value)})`,
  rule_allows: ({ guard }) => `no recovery rule '${word(guard.value)}' against it`,
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

function conditionFor(check: FailedCheck, inputs: DecisionInputs): string {
  const { condition, guard } = check;
  const known = Object.hasOwn(conditions, condition) ? conditions[condition] : undefined;
  if (known !== undefined) return known(check, inputs);
  const words = text(guard.guard, 'a check').replaceAll('_', ' ');
  return guard.limit === undefined ? `${words} passing` : `${words} within ${word(guard.limit)}`;
}
