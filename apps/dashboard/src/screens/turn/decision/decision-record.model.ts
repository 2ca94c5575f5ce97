/** Owns the record of a decision as one reads it: what it was made from, what was checked and seen, what was decided, by whom, and what would have changed it. */
import type { DecisionInputs, Guard } from '@holdfast/gateway/contract';
import { records, toVisibleText, text, time, timeOrNone, word } from '../fields.ts';
import {
  groupByStrategy,
  guardName,
  guardSubject,
  isInapplicable,
  compareToLimit,
  measuresTime,
  type DecisionView,
  type FailureView,
  type CheckedStrategy,
} from '@holdfast/core/turn-view';
import { duration } from '../../../ui/format.ts';
import { type Otherwise, otherwise, type OtherwiseContext } from './otherwise.ts';

export interface DecisionRecord {
  readonly seq: number;
  readonly atMs: number;
  readonly attempt: number;
  readonly toolName: string;
  /** `Attempt 2 of flight_search failed` */
  readonly title: string;
  readonly failure: FailureView | undefined;
  /** `Retry in 213 ms` */
  readonly verdict: string;
  readonly action: string;
  readonly reason: string;
  readonly stoppedBy: string;
  readonly decidedBy: string;
  readonly inputs: readonly InputLine[];
  readonly ways: readonly WayRecord[];
  readonly recoveryRules: readonly string[];
  readonly evidence: readonly string[];
  readonly otherwise: readonly Otherwise[];
}

interface InputLine {
  readonly name: string;
  readonly value: string;
}

export interface WayRecord {
  readonly way: CheckedStrategy;
  readonly name: string;
  /** It was the one taken. */
  readonly taken: boolean;
  /** It could not have been: nothing is shown of its checks. */
  readonly idle: boolean;
  readonly checks: readonly CheckLine[];
}

interface CheckLine {
  readonly guard: string;
  readonly name: string;
  readonly passed: boolean;
  /** Of the way's failed checks, the one that closed it. */
  readonly decisive: boolean;
  /** The first that closed a way which could have been: why it went on as it did. */
  readonly first: boolean;
  readonly value: string;
  /** `below 5`, `not below 5`; empty where there is no limit. */
  readonly limit: string;
}

export function decisionRecord(view: DecisionView, failures: readonly FailureView[], context: OtherwiseContext): DecisionRecord {
  const { decision, inputs } = view;
  return {
    seq: view.seq,
    atMs: view.atMs,
    attempt: view.attempt,
    toolName: view.toolName,
    title: titleOf(view),
    failure: failures.findLast(({ attempt, toolName, seq }) => attempt === view.attempt && toolName === view.toolName && seq <= view.seq),
    verdict: verdictOf(view),
    action: text(decision.action),
    reason: toVisibleText(decision.reason),
    stoppedBy: text(decision.stoppedBy),
    decidedBy:
      view.decidedBy === 'handler'
        ? 'An advisor of the program changed the built-in decision. The checks are the built-in ones: they do not say why.'
        : 'The built-in decision.',
    inputs: inputLines(inputs),
    ways: wayRecords(view),
    recoveryRules: records(inputs.recoveryRules).map(ruleWords),
    evidence: records(inputs.evidence).map(evidenceWords),
    otherwise: view.decidedBy === 'handler' ? [] : otherwise(view, context),
  };
}

function titleOf({ inputs, attempt, toolName }: DecisionView): string {
  if (inputs.failure === 'refused') return `${toolName} was not called`;
  return `Attempt ${attempt} of ${toolName} ${inputs.failure === 'timeout' ? 'timed out' : 'failed'}`;
}

function verdictOf({ decision }: DecisionView): string {
  switch (decision.action) {
    case 'retry':
      return decision.delayMs === undefined ? 'Retry' : `Retry in ${duration(decision.delayMs)}`;
    case 'use_alternative':
      return `Use ${word(decision.alternative) || 'the alternative'} instead`;
    case 'use_default':
      return 'Answer with the fallback value';
    case 'accept_partial':
      return 'Accept the partial output';
    case 'skip':
      return 'Skip the call';
    case 'escalate':
      return 'Give up and escalate';
    case 'fail':
      return 'Give up';
    default:
      return text(decision.action, 'unknown');
  }
}

function inputLines(inputs: DecisionInputs): readonly InputLine[] {
  const line = (name: string, value: string): readonly InputLine[] => (value === '' ? [] : [{ name, value }]);
  const time_ = (name: string, value: unknown): readonly InputLine[] => {
    const known = timeOrNone(value);
    return known === undefined ? [] : [{ name, value: duration(known) }];
  };
  const alternatives = records(inputs.alternatives).map(
    ({ toolName, available, circuit }) =>
      `${word(toolName)} (${available === true ? 'available' : `not available, circuit ${word(circuit)}`})`,
  );
  return [
    ...line('Error', `${text(inputs.classification)}, ${text(inputs.category)} (rule ${text(inputs.rule)})`),
    ...line('Attempts', `${time(inputs.attempts)} of ${time(inputs.maxAttempts)}`),
    ...line('Circuit', `${text(inputs.circuit).replace('_', '-')}${inputs.probe === true ? ', this attempt was its probe' : ''}`),
    ...line('Effect', inputs.effect === undefined ? 'not declared' : word(inputs.effect)),
    ...line('May have happened', inputs.ambiguous === true ? 'yes: the request had been sent' : ''),
    ...time_('Next wait', inputs.nextDelayMs),
    ...time_('Asked to wait', inputs.retryAfterMs),
    ...line('Retry clock', `${duration(time(inputs.retryElapsedMs))} of ${duration(time(inputs.maxTotalTimeMs))}`),
    ...time_('Left in the turn', inputs.turnTimeLeftMs),
    ...line('Retry budget', inputs.retryBudgetLeft === undefined ? '' : `${word(inputs.retryBudgetLeft)} left`),
    ...line('Turn’s retries', inputs.turnRetriesLeft === undefined ? '' : `${word(inputs.turnRetriesLeft)} left`),
    ...line('Alternatives', alternatives.length === 0 ? 'none' : alternatives.join(', ')),
    ...line('Fallback value', inputs.fallbackAvailable === true ? 'declared' : 'none'),
    ...line('Partial output', inputs.partialAvailable === true ? `there, ${inputs.acceptPartial === true ? '' : 'not '}accepted` : ''),
    ...line('Call', inputs.optional === true ? 'optional' : 'required'),
  ];
}

const wayNames: Readonly<Record<CheckedStrategy, string>> = {
  partial: 'Accept partial output',
  retry: 'Retry',
  alternative: 'Use an alternative',
  fallback: 'Use the fallback value',
  other: 'Other checks',
};

function wayRecords({ decision, inputs }: DecisionView): readonly WayRecord[] {
  let first: Guard | undefined;
  return groupByStrategy(decision.guards).map(({ strategy: way, subject, guards }) => {
    const decisive = guards.find((guard) => guard.passed !== true);
    if (!isInapplicable(way, inputs)) first ??= decisive;
    return {
      way,
      name: subject === '' ? wayNames[way] : `Use ${subject}`,
      taken: decisive === undefined && takes[text(decision.action)] === way,
      idle: isInapplicable(way, inputs),
      checks: guards.map((guard) => ({ ...checkLine(guard, guard === decisive), first: guard === first })),
    };
  });
}

const takes: Readonly<Record<string, CheckedStrategy>> = {
  retry: 'retry',
  accept_partial: 'partial',
  use_alternative: 'alternative',
  use_default: 'fallback',
};

const checkNames: Readonly<Record<string, string>> = {
  timed_out: 'The attempt timed out',
  partial_accepted: 'Partial output is there and accepted',
  transient: 'The error is transient',
  circuit_closed: 'The circuit lets it through',
  safe_to_repeat: 'It is safe to repeat',
  safe_to_replace: 'It is safe to replace',
  attempts_left: 'Attempts are left',
  worth_retrying: 'Retries have helped before',
  retry_time_left: 'The retry begins within its time',
  turn_time_left: 'The retry begins within the turn',
  retry_budget_left: 'The tool’s retry budget allows it',
  turn_retries_left: 'The turn’s retries allow it',
  not_cancelled: 'The call was not cancelled',
  fallback_declared: 'A fallback value is declared',
};

function checkLine(guard: Guard, decisive: boolean): Omit<CheckLine, 'first'> {
  const name = guardName(guard);
  const subject = guardSubject(guard);
  const formatMeasured = (value: unknown): string => {
    if (typeof value === 'number') return measuresTime(guard) ? duration(value) : String(value);
    if (typeof value === 'boolean') return value ? 'yes' : 'no';
    return subject === '' ? text(value).replace('_', '-') : `circuit ${text(value).replace('_', '-')}`;
  };
  return {
    guard: text(guard.guard),
    name: subject === '' ? nameOf(name) : `${subject} is available`,
    passed: guard.passed === true,
    decisive,
    value: formatMeasured(guard.value),
    limit: guard.limit === undefined ? '' : `${compareToLimit(guard)} ${formatMeasured(guard.limit)}`,
  };
}

function nameOf(name: string): string {
  if (name.startsWith('rule_allows_')) return `A policy allows ${name.slice('rule_allows_'.length).replaceAll('_', ' ')}`;
  return Object.hasOwn(checkNames, name) ? (checkNames[name] ?? name) : name.replaceAll('_', ' ');
}

const ruleWords = ({ rule, effect, strategy, reason }: Partial<DecisionInputs['recoveryRules'][number]>): string => {
  const does = effect === 'deny' ? 'denies' : effect === 'prefer' ? 'prefers' : 'allows';
  return `${word(rule)} ${does} ${word(strategy).replaceAll('_', ' ')}${reason === undefined ? '' : `: ${word(reason)}`}`;
};

const evidenceWords = ({ strategy, toolName, tried, succeeded, withheld }: Partial<DecisionInputs['evidence'][number]>): string => {
  const what = strategy === 'use_alternative' ? `The alternative ${word(toolName)}` : 'Retries';
  const left = withheld === undefined ? '' : `; left out ${word(withheld)} times`;
  return `${what} helped ${word(succeeded)} of ${word(tried)} times${left}`;
};
