/**
 * Owns what would have changed a decision, as far as it follows from the checks that were made: it speaks of the decision only. Whether another attempt would
 * have succeeded nobody knows.
 *
 * The checks of a way are all made, also behind the first that failed. So where all failed ones had passed, the way was open, and it would have been taken where
 * it stands before the one that was. Some checks saw a value that hangs on an earlier one, and prove nothing once that one is otherwise: they are told as such.
 */
import type { DecisionInputs, Guard } from '@holdfast/gateway/contract';
import { duration } from '../../../ui/format.ts';
import { time, timeOrNone, word } from '../fields.ts';
import {
  groupByStrategy,
  guardName,
  guardSubject,
  isInapplicable,
  type CircuitChangeView,
  type DecisionView,
  type CheckedStrategy,
} from '@holdfast/core/turn-view';
import type { WhatIfChange } from './changes.ts';

/** One way that was closed, and what would have opened it. */
export interface Otherwise {
  readonly way: CheckedStrategy;
  /** `It would have been retried` */
  readonly outcome: string;
  /** All of them together. */
  readonly conditions: readonly string[];
  /** What the record cannot say about it. */
  readonly caveat: string;
  /** The same as settings, where settings can bring it about: for a what-if. */
  readonly change: WhatIfChange | undefined;
}

export interface OtherwiseContext {
  /** Of the turn; undefined: it has none. */
  readonly timeoutMs: number | undefined;
  readonly maxRetries: number | undefined;
  readonly circuits: readonly CircuitChangeView[];
}

export function otherwise(view: DecisionView, context: OtherwiseContext): readonly Otherwise[] {
  const { decision, inputs } = view;
  if (decision.action === 'retry') return [];
  return groupByStrategy(decision.guards).flatMap(({ strategy: way, subject, guards }) => {
    const failed = guards.filter((guard) => guard.passed !== true);
    if (failed.length === 0 || isInapplicable(way, inputs)) return [];
    const doubtful = way === 'retry' ? hangOnAnother(failed) : [];
    const firm = failed.filter((guard) => !doubtful.includes(guard));
    return [
      {
        way,
        outcome: outcomeOf(way, subject, failed, inputs),
        conditions: [...new Set(firm.map((guard) => conditionFor(guard, view, context)))],
        caveat: caveatOf(failed, doubtful, inputs),
        change: changeFor(firm, doubtful, view, context),
      },
    ];
  });
}

function outcomeOf(way: CheckedStrategy, subject: string, failed: readonly Guard[], inputs: DecisionInputs): string {
  const delay = time(inputs.nextDelayMs);
  // A failure that is not transient has no next delay; a circuit that says no has put its own wait in.
  const known = delay > 0 && !failed.some((guard) => guardName(guard) === 'transient' || guardName(guard) === 'circuit_closed');
  switch (way) {
    case 'retry':
      return known ? `It would have been retried after ${duration(delay)}` : 'It would have been retried';
    case 'partial':
      return 'The partial output would have been accepted';
    case 'alternative':
      return `It would have gone to ${subject === '' ? 'the alternative' : subject}`;
    case 'fallback':
      return 'It would have been answered with the fallback value';
    default:
      return 'It would have continued';
  }
}

const timeChecks = new Set(['retry_time_left', 'turn_time_left']);

/** Time was checked with the wait that was known: none for an error that is not transient, the circuit's for an open one. */
function hangOnAnother(failed: readonly Guard[]): readonly Guard[] {
  const blocked = failed.some((guard) => guardName(guard) === 'circuit_closed');
  return blocked ? failed.filter((guard) => timeChecks.has(guardName(guard))) : [];
}

function caveatOf(failed: readonly Guard[], doubtful: readonly Guard[], inputs: DecisionInputs): string {
  const names = failed.map(guardName);
  if (names.includes('transient'))
    return 'The wait before such a retry was never worked out, so the record does not say whether there was time for it.';
  if (doubtful.length > 0)
    return `The time left was checked with the circuit’s own wait (${duration(time(inputs.nextDelayMs))}); with a closed circuit that check is another one.`;
  return '';
}

type Words = (inputs: DecisionInputs, guard: Guard, context: OtherwiseContext, view: DecisionView) => string;

const conditions: Readonly<Record<string, Words>> = {
  timed_out: () => 'a timeout instead of this failure',
  partial_accepted: () => 'accept_partial set to true',
  transient: (inputs) =>
    inputs.failure === 'refused'
      ? 'the call let through: a refusal is not a failure that a retry can fix'
      : `an error that is transient: rule ${word(inputs.rule)} says ${word(inputs.classification)}`,
  circuit_closed: (inputs, _guard, context, view) => circuitWords(inputs, context, view),
  safe_to_repeat: () => 'a tool whose effect is read or idempotent: this one may have acted already',
  safe_to_replace: () => 'a tool whose effect is read or idempotent: this one may have acted already',
  attempts_left: (inputs) => `max_attempts ${time(inputs.attempts) + 1} or more`,
  worth_retrying: () => 'better experience with earlier retries',
  retry_time_left: (inputs) => `max_total_time_ms above ${Math.round(time(inputs.retryElapsedMs) + time(inputs.nextDelayMs))}`,
  turn_time_left: (inputs) =>
    `more than ${duration(time(inputs.nextDelayMs))} left in the turn${timeOrNone(inputs.turnTimeLeftMs) === undefined ? '' : `; it had ${duration(time(inputs.turnTimeLeftMs))}`}`,
  retry_budget_left: () => 'a retry left in the tool’s budget',
  turn_retries_left: () => 'a retry left in the turn’s budget',
  alternative_available: (_inputs, guard) => `${guardSubject(guard)} available; its circuit was ${word(guard.value)}`,
  fallback_declared: () => 'a fallback value declared',
  not_cancelled: () => 'the call not cancelled',
};

function conditionFor(guard: Guard, view: DecisionView, context: OtherwiseContext): string {
  const name = guardName(guard);
  if (name.startsWith('rule_allows_')) return `no policy rule ${word(guard.value)} against it`;
  const known = Object.hasOwn(conditions, name) ? conditions[name] : undefined;
  return known === undefined ? `${name.replaceAll('_', ' ')} passing` : known(view.inputs, guard, context, view);
}

function circuitWords(inputs: DecisionInputs, context: OtherwiseContext, view: DecisionView): string {
  if (inputs.probe) return 'an attempt that was not the probe of a recovering tool';
  const opened = openedBy(view, context);
  return opened === undefined
    ? 'the circuit closed'
    : `a failure_threshold of ${opened.failureCount + 1} or more: this failure opened the circuit`;
}

/** The failure that was decided about opened the circuit itself. */
function openedBy({ seq, toolName }: DecisionView, { circuits }: OtherwiseContext): CircuitChangeView | undefined {
  return circuits.findLast(
    (move) =>
      move.toolName === toolName && move.seq < seq && move.seq >= seq - 3 && move.state === 'open' && move.reason === 'failure_threshold',
  );
}

/** Undefined where one of the conditions is none that a setting brings about. */
function changeFor(
  firm: readonly Guard[],
  doubtful: readonly Guard[],
  view: DecisionView,
  context: OtherwiseContext,
): WhatIfChange | undefined {
  let change: WhatIfChange = { tool: view.toolName };
  for (const guard of [...firm, ...doubtful]) {
    const part = settingFor(guardName(guard), view, context, doubtful.includes(guard));
    if (part === undefined) return undefined;
    change = { ...change, ...part };
  }
  const turnOnly = Object.keys(change).every((key) => key === 'tool' || key.startsWith('turn_'));
  if (!turnOnly) return change;
  const { tool: _tool, ...rest } = change;
  return rest;
}

function settingFor(name: string, view: DecisionView, context: OtherwiseContext, doubtful: boolean): WhatIfChange | undefined {
  const { inputs } = view;
  if (doubtful) return {};
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

/** To a number that a person would have set. */
const roundUp = (milliseconds: number): number => {
  const step = milliseconds < 1000 ? 50 : milliseconds < 10_000 ? 500 : 1000;
  return Math.ceil(milliseconds / step) * step;
};
