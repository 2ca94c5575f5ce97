/** Describes what would have changed a decision, and returns it as settings for a what-if. */
import type { DecisionInputs } from '@holdfast/gateway/contract';
import { formatDuration } from '../../../ui/format.ts';
import { time, timeOrNone, word } from '../fields.ts';
import {
  type CheckedStrategy,
  type CircuitChangeView,
  type Counterfactual,
  counterfactuals,
  type DecisionView,
  type FailedCheck,
  guardSubject,
} from '@holdfast/core/turn-view';
import type { WhatIfChange } from './what-if-change.ts';

/** A strategy that was ruled out, and what would have allowed it. */
export interface CounterfactualText {
  readonly strategy: CheckedStrategy;
  /** `It would have been retried` */
  readonly outcome: string;
  /** All of them must hold. */
  readonly conditions: readonly string[];
  /** What the record does not show. */
  readonly caveat: string;
  /** The same as settings for a what-if, if settings can achieve it. */
  readonly change: WhatIfChange | undefined;
}

export interface CounterfactualContext {
  /** The deadline of the turn, if it has one. */
  readonly timeoutMs: number | undefined;
  readonly maxRetries: number | undefined;
  readonly circuits: readonly CircuitChangeView[];
}

export function describeCounterfactuals(view: DecisionView, context: CounterfactualContext): readonly CounterfactualText[] {
  return counterfactuals(view).map((each) => ({
    strategy: each.strategy,
    outcome: outcomeOf(each, view.inputs),
    conditions: [...new Set(each.failed.map((check) => conditionFor(check, view, context)))],
    caveat: caveatOf(each, view.inputs),
    change: changeFor(each.failed, view, context),
  }));
}

const delayUnknown: ReadonlySet<string> = new Set(['transient', 'admitted', 'circuit_closed', 'not_a_probe']);

function outcomeOf({ strategy, subject, failed }: Counterfactual, inputs: DecisionInputs): string {
  const delay = time(inputs.nextDelayMs);
  // A permanent failure has no next delay, and an open circuit sets its own delay.
  const known = delay > 0 && !failed.some(({ condition }) => delayUnknown.has(condition));
  switch (strategy) {
    case 'retry':
      return known ? `It would have been retried after ${formatDuration(delay)}` : 'It would have been retried';
    case 'partial':
      return 'The partial output would have been accepted';
    case 'alternative':
      return `It would have used ${subject === '' ? 'the alternative' : subject}`;
    case 'fallback':
      return 'The fallback value would have been used';
    default:
      return 'It would have continued';
  }
}

function caveatOf({ failed, dependent }: Counterfactual, inputs: DecisionInputs): string {
  if (failed.some(({ condition }) => condition === 'transient' || condition === 'admitted'))
    return 'The delay of such a retry was never computed, so the record does not show whether there was time for it.';
  if (dependent.length > 0)
    return `The time left was checked with the delay of the open circuit (${formatDuration(time(inputs.nextDelayMs))}). With a closed circuit the delay would differ.`;
  return '';
}

type Words = (check: FailedCheck, view: DecisionView, context: CounterfactualContext) => string;

const conditions: Readonly<Record<string, Words>> = {
  timed_out: () => 'a timeout instead of this failure',
  partial_accepted: () => 'accept_partial set to true',
  transient: (_check, { inputs }) => `a transient error: rule ${word(inputs.rule)} classified it as ${word(inputs.classification)}`,
  unknown_failures: (_check, { inputs: { effect } }) =>
    effect === 'read' || effect === 'idempotent'
      ? 'unknown_failures set to retry'
      : 'effect read or idempotent: the cause of the failure is unknown',
  admitted: () => 'the call admitted: a retry does not help against a refusal',
  circuit_closed: (_check, view, context) => describeCircuit(view, context),
  not_a_probe: () => 'an attempt that is not a probe',
  may_wait: ({ threshold = 0 }) => `more than ${formatDuration(threshold)} to wait for recovery`,
  no_alternative: () => 'no alternative available',
  safe_to_repeat: () => 'effect read or idempotent: the side effect may have happened',
  safe_to_replace: () => 'effect read or idempotent: the side effect may have happened',
  attempts_left: ({ threshold = 0 }) => `max_attempts of at least ${threshold + 1}`,
  worth_retrying: () => 'a better success rate of past retries',
  retry_time_left: ({ threshold }) => `max_total_time_ms above ${threshold}`,
  turn_time_left: ({ threshold = 0 }, { inputs }) => `more than ${formatDuration(threshold)} left in the turn${timeLeftText(inputs)}`,
  retry_budget_left: () => 'a retry left in the tool’s retry budget',
  turn_retries_left: () => 'a retry left in the turn’s retry budget',
  alternative_available: ({ guard }) => `${guardSubject(guard)} available; its circuit was ${word(guard.value)}`,
  rule_allows: ({ guard }) => `no recovery rule ${word(guard.value)} against it`,
  fallback_declared: () => 'a fallback value declared',
  not_cancelled: () => 'no cancellation of the call',
};

function conditionFor(check: FailedCheck, view: DecisionView, context: CounterfactualContext): string {
  const { condition } = check;
  const known = Object.hasOwn(conditions, condition) ? conditions[condition] : undefined;
  return known === undefined ? `${condition.replaceAll('_', ' ')} passing` : known(check, view, context);
}

function timeLeftText(inputs: DecisionInputs): string {
  const left = timeOrNone(inputs.turnTimeLeftMs);
  return left === undefined ? '' : `; it had ${formatDuration(left)}`;
}

function describeCircuit(view: DecisionView, context: CounterfactualContext): string {
  const opened = openedBy(view, context);
  return opened === undefined
    ? 'a closed circuit'
    : `a failure_threshold of at least ${opened.failureCount + 1}: this failure opened the circuit`;
}

/** The circuit change, if this failure opened the circuit. */
function openedBy({ seq, toolName }: DecisionView, { circuits }: CounterfactualContext): CircuitChangeView | undefined {
  return circuits.findLast(
    (move) =>
      move.toolName === toolName && move.seq < seq && move.seq >= seq - 3 && move.state === 'open' && move.reason === 'failure_threshold',
  );
}

/** Undefined if no setting can satisfy one of the conditions. */
function changeFor(failed: readonly FailedCheck[], view: DecisionView, context: CounterfactualContext): WhatIfChange | undefined {
  let change: WhatIfChange = { tool: view.toolName };
  for (const check of failed) {
    const part = settingFor(check, view, context);
    if (part === undefined) return undefined;
    change = { ...change, ...part };
  }
  const turnOnly = Object.keys(change).every((key) => key === 'tool' || key.startsWith('turn_'));
  if (!turnOnly) return change;
  const { tool: _tool, ...rest } = change;
  return rest;
}

function settingFor(
  { condition, threshold = 0 }: FailedCheck,
  view: DecisionView,
  context: CounterfactualContext,
): WhatIfChange | undefined {
  const { inputs } = view;
  switch (condition) {
    case 'attempts_left':
      return { max_attempts: threshold + 1 };
    case 'retry_time_left':
      return { max_total_time_ms: roundUp(threshold + 1) };
    case 'turn_time_left':
      return context.timeoutMs === undefined ? undefined : { turn_timeout_ms: roundUp(context.timeoutMs + shortfall(inputs)) };
    case 'turn_retries_left':
      return context.maxRetries === undefined ? undefined : { turn_max_retries: context.maxRetries + 1 };
    case 'circuit_closed': {
      const opened = openedBy(view, context);
      return opened === undefined ? undefined : { failure_threshold: opened.failureCount + 1 };
    }
    case 'partial_accepted':
      return inputs.partialAvailable ? { accept_partial: true } : undefined;
    default:
      return undefined;
  }
}

const shortfall = (inputs: DecisionInputs): number => Math.max(0, time(inputs.nextDelayMs) - time(inputs.turnTimeLeftMs)) + 1;

/** Rounds up to a number that a person would set. */
const roundUp = (milliseconds: number): number => {
  const step = milliseconds < 1000 ? 50 : milliseconds < 10_000 ? 500 : 1000;
  return Math.ceil(milliseconds / step) * step;
};
