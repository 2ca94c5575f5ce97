/**
 * What would have changed a decision, as far as it follows from its checks. This is about the decision only: whether another attempt would have succeeded is
 * unknown.
 *
 * All checks of a strategy run, even after one has failed. So if all failed checks had passed, the strategy would have been chosen, provided it comes before the
 * one that was. Some checks depend on the value of an earlier one, and prove nothing if that one were different. They are reported as a caveat.
 */
import type { DecisionInputs, Guard } from '@holdfast/gateway/contract';
import { formatDuration } from '../../../ui/format.ts';
import { time, timeOrNone, word } from '../fields.ts';
import {
  type CheckedStrategy,
  type CircuitChangeView,
  type DecisionView,
  groupByStrategy,
  guardName,
  guardSubject,
  isInapplicable,
} from '@holdfast/core/turn-view';
import type { WhatIfChange } from './what-if-change.ts';

/** A strategy that was ruled out, and what would have allowed it. */
export interface Counterfactual {
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

export function listCounterfactuals(view: DecisionView, context: CounterfactualContext): readonly Counterfactual[] {
  const { decision, inputs } = view;
  if (decision.action === 'retry') return [];
  return groupByStrategy(decision.guards).flatMap(({ strategy, subject, guards }) => {
    const failed = guards.filter((guard) => guard.passed !== true);
    if (failed.length === 0 || isInapplicable(strategy, inputs)) return [];
    const dependent = strategy === 'retry' ? dependentChecks(failed) : [];
    const independent = failed.filter((guard) => !dependent.includes(guard));
    return [
      {
        strategy,
        outcome: outcomeOf(strategy, subject, failed, inputs),
        conditions: [...new Set(independent.map((guard) => conditionFor(guard, view, context)))],
        caveat: caveatOf(failed, dependent, inputs),
        change: changeFor(independent, dependent, view, context),
      },
    ];
  });
}

function outcomeOf(strategy: CheckedStrategy, subject: string, failed: readonly Guard[], inputs: DecisionInputs): string {
  const delay = time(inputs.nextDelayMs);
  // A permanent failure has no next delay, and an open circuit sets its own delay.
  const known = delay > 0 && !failed.some((guard) => guardName(guard) === 'transient' || guardName(guard) === 'circuit_closed');
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

const timeChecks = new Set(['retry_time_left', 'turn_time_left']);

/** Time checks use the known delay: none for a permanent error, and the circuit's own for an open circuit. */
function dependentChecks(failed: readonly Guard[]): readonly Guard[] {
  const blocked = failed.some((guard) => guardName(guard) === 'circuit_closed');
  return blocked ? failed.filter((guard) => timeChecks.has(guardName(guard))) : [];
}

function caveatOf(failed: readonly Guard[], dependent: readonly Guard[], inputs: DecisionInputs): string {
  const names = failed.map(guardName);
  if (names.includes('transient'))
    return 'The delay of such a retry was never computed, so the record does not show whether there was time for it.';
  if (dependent.length > 0)
    return `The time left was checked with the delay of the open circuit (${formatDuration(time(inputs.nextDelayMs))}). With a closed circuit the delay would differ.`;
  return '';
}

type Words = (inputs: DecisionInputs, guard: Guard, context: CounterfactualContext, view: DecisionView) => string;

const conditions: Readonly<Record<string, Words>> = {
  timed_out: () => 'a timeout instead of this failure',
  partial_accepted: () => 'accept_partial set to true',
  transient: (inputs) =>
    inputs.failure === 'refused'
      ? 'the call admitted: a retry does not help against a refusal'
      : `a transient error: rule ${word(inputs.rule)} classified it as ${word(inputs.classification)}`,
  unknown_failures: ({ effect }) =>
    effect === 'read' || effect === 'idempotent'
      ? 'unknown_failures set to retry'
      : 'effect read or idempotent: the cause of the failure is unknown',
  circuit_closed: (inputs, _guard, context, view) => describeCircuit(inputs, context, view),
  safe_to_repeat: () => 'effect read or idempotent: the side effect may have happened',
  safe_to_replace: () => 'effect read or idempotent: the side effect may have happened',
  attempts_left: (inputs) => `max_attempts of at least ${time(inputs.attempts) + 1}`,
  worth_retrying: () => 'a better success rate of past retries',
  retry_time_left: (inputs) => `max_total_time_ms above ${Math.round(time(inputs.retryElapsedMs) + time(inputs.nextDelayMs))}`,
  turn_time_left: (inputs) =>
    `more than ${formatDuration(time(inputs.nextDelayMs))} left in the turn${timeOrNone(inputs.turnTimeLeftMs) === undefined ? '' : `; it had ${formatDuration(time(inputs.turnTimeLeftMs))}`}`,
  retry_budget_left: () => 'a retry left in the tool’s retry budget',
  turn_retries_left: () => 'a retry left in the turn’s retry budget',
  alternative_available: (_inputs, guard) => `${guardSubject(guard)} available; its circuit was ${word(guard.value)}`,
  fallback_declared: () => 'a fallback value declared',
  not_cancelled: () => 'no cancellation of the call',
};

function conditionFor(guard: Guard, view: DecisionView, context: CounterfactualContext): string {
  const name = guardName(guard);
  if (name.startsWith('rule_allows_')) return `no recovery rule ${word(guard.value)} against it`;
  const known = Object.hasOwn(conditions, name) ? conditions[name] : undefined;
  return known === undefined ? `${name.replaceAll('_', ' ')} passing` : known(view.inputs, guard, context, view);
}

function describeCircuit(inputs: DecisionInputs, context: CounterfactualContext, view: DecisionView): string {
  if (inputs.probe) return 'an attempt that is not a probe';
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
function changeFor(
  independent: readonly Guard[],
  dependent: readonly Guard[],
  view: DecisionView,
  context: CounterfactualContext,
): WhatIfChange | undefined {
  let change: WhatIfChange = { tool: view.toolName };
  for (const guard of [...independent, ...dependent]) {
    const part = settingFor(guardName(guard), view, context, dependent.includes(guard));
    if (part === undefined) return undefined;
    change = { ...change, ...part };
  }
  const turnOnly = Object.keys(change).every((key) => key === 'tool' || key.startsWith('turn_'));
  if (!turnOnly) return change;
  const { tool: _tool, ...rest } = change;
  return rest;
}

function settingFor(name: string, view: DecisionView, context: CounterfactualContext, dependent: boolean): WhatIfChange | undefined {
  const { inputs } = view;
  if (dependent) return {};
  switch (name) {
    case 'attempts_left':
      return { max_attempts: time(inputs.attempts) + 1 };
    case 'retry_time_left':
      return { max_total_time_ms: roundUp(time(inputs.retryElapsedMs) + time(inputs.nextDelayMs) + 1) };
    case 'turn_time_left':
      return context.timeoutMs === undefined ? undefined : { turn_timeout_ms: roundUp(context.timeoutMs + shortfall(inputs)) };
    case 'turn_retries_left':
      return context.maxRetries === undefined ? undefined : { turn_max_retries: context.maxRetries + 1 };
    case 'circuit_closed': {
      const opened = inputs.probe ? undefined : openedBy(view, context);
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
