/** A decision, prepared for display: its inputs, its checks, the result, who decided, and what would have changed it. */
import type { DecisionInputs, Guard } from '@holdfast/gateway/contract';
import { records, toVisibleText, text, time, timeOrNone, word } from '../fields.ts';
import {
  type CheckedStrategy,
  compareToLimit,
  type DecisionView,
  type FailureView,
  groupByStrategy,
  guardName,
  guardSubject,
  isInapplicable,
  measuresTime,
} from '@holdfast/core/turn-view';
import { formatDuration } from '../../../ui/format.ts';
import { circuitText } from '../labels.ts';
import { type CounterfactualContext, type CounterfactualText, describeCounterfactuals } from './counterfactuals.ts';

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
  readonly strategies: readonly StrategyRecord[];
  readonly recoveryRules: readonly string[];
  readonly evidence: readonly string[];
  readonly counterfactuals: readonly CounterfactualText[];
}

interface InputLine {
  readonly name: string;
  readonly value: string;
}

export interface StrategyRecord {
  readonly strategy: CheckedStrategy;
  readonly name: string;
  /** The decision chose it. */
  readonly chosen: boolean;
  /** It did not apply: its checks are not shown. */
  readonly inapplicable: boolean;
  readonly checks: readonly CheckLine[];
}

interface CheckLine {
  readonly guard: string;
  readonly name: string;
  readonly passed: boolean;
  /** The first failed check of the strategy, which ruled it out. */
  readonly decisive: boolean;
  /** The first failed check of all applicable strategies: the reason for the decision. */
  readonly first: boolean;
  readonly value: string;
  /** `below 5`, `not below 5`; empty if there is no limit. */
  readonly limit: string;
}

export function decisionRecord(view: DecisionView, failures: readonly FailureView[], context: CounterfactualContext): DecisionRecord {
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
        ? 'A custom advisor changed the built-in decision. The checks are those of the built-in decision, so they do not show why.'
        : 'Decided by the built-in rules.',
    inputs: inputLines(inputs),
    strategies: strategyRecords(view),
    recoveryRules: records(inputs.recoveryRules).map(describeRule),
    evidence: records(inputs.evidence).map(describeEvidence),
    counterfactuals: describeCounterfactuals(view, context),
  };
}

function titleOf({ inputs, attempt, toolName }: DecisionView): string {
  if (inputs.failure === 'refused') return `${toolName} was not called`;
  return `Attempt ${attempt} of ${toolName} ${inputs.failure === 'timeout' ? 'timed out' : 'failed'}`;
}

function verdictOf({ decision }: DecisionView): string {
  switch (decision.action) {
    case 'retry':
      return decision.delayMs === undefined ? 'Retry' : `Retry in ${formatDuration(decision.delayMs)}`;
    case 'use_alternative':
      return `Use ${word(decision.alternative) || 'the alternative'} instead`;
    case 'use_default':
      return 'Use the fallback value';
    case 'accept_partial':
      return 'Accept the partial output';
    case 'skip':
      return 'Skip the call';
    case 'escalate':
      return 'Fail and escalate';
    case 'fail':
      return 'Fail';
    default:
      return text(decision.action, 'unknown');
  }
}

function inputLines(inputs: DecisionInputs): readonly InputLine[] {
  const line = (name: string, value: string): readonly InputLine[] => (value === '' ? [] : [{ name, value }]);
  const timeLine = (name: string, value: unknown): readonly InputLine[] => {
    const known = timeOrNone(value);
    return known === undefined ? [] : [{ name, value: formatDuration(known) }];
  };
  const alternatives = records(inputs.alternatives).map(
    ({ toolName, available, circuit }) =>
      `${word(toolName)} (${available === true ? 'available' : `not available, circuit ${word(circuit)}`})`,
  );
  return [
    ...line('Error', `${text(inputs.classification)}, ${text(inputs.category)} (rule ${text(inputs.rule)})`),
    ...line('Attempts', `${time(inputs.attempts)} of ${time(inputs.maxAttempts)}`),
    ...line('Circuit', `${circuitText(inputs.circuit, inputs.heldMs)}${inputs.probe === true ? ', this attempt was the probe' : ''}`),
    ...line('Effect', effectText(inputs)),
    ...line('Ambiguous', inputs.ambiguous === true ? 'yes: the side effect may have happened' : ''),
    ...line('Unknown failures', inputs.unknownFailures === undefined ? '' : word(inputs.unknownFailures)),
    ...timeLine('Next delay', inputs.nextDelayMs),
    ...timeLine('Retry-After', inputs.retryAfterMs),
    ...line('Retry time', `${formatDuration(time(inputs.retryElapsedMs))} of ${formatDuration(time(inputs.maxTotalTimeMs))}`),
    ...timeLine('Time left in the turn', inputs.turnTimeLeftMs),
    ...line('Retry budget', inputs.retryBudgetLeft === undefined ? '' : `${word(inputs.retryBudgetLeft)} left`),
    ...line('Retries left in the turn', inputs.turnRetriesLeft === undefined ? '' : `${word(inputs.turnRetriesLeft)} left`),
    ...line('Alternatives', alternatives.length === 0 ? 'none' : alternatives.join(', ')),
    ...line('Fallback value', inputs.fallbackAvailable === true ? 'declared' : 'none'),
    ...line('Partial output', inputs.partialAvailable === true ? `available, ${inputs.acceptPartial === true ? '' : 'not '}accepted` : ''),
    ...line('Call', inputs.optional === true ? 'optional' : 'required'),
  ];
}

function effectText({ effect, assumedEffect }: DecisionInputs): string {
  if (effect !== undefined) return word(effect);
  return assumedEffect === undefined ? 'not declared' : `not declared, counts as ${word(assumedEffect)}`;
}

const strategyNames: Readonly<Record<CheckedStrategy, string>> = {
  partial: 'Accept partial output',
  retry: 'Retry',
  alternative: 'Use an alternative',
  fallback: 'Use the fallback value',
  other: 'Other checks',
};

function strategyRecords({ decision, inputs }: DecisionView): readonly StrategyRecord[] {
  let first: Guard | undefined;
  return groupByStrategy(decision.guards).map(({ strategy, subject, guards }) => {
    const decisive = guards.find((guard) => guard.passed !== true);
    if (!isInapplicable(strategy, inputs)) first ??= decisive;
    return {
      strategy,
      name: subject === '' ? strategyNames[strategy] : `Use ${subject}`,
      chosen: decisive === undefined && strategyOfAction[text(decision.action)] === strategy,
      inapplicable: isInapplicable(strategy, inputs),
      checks: guards.map((guard) => ({ ...checkLine(guard, guard === decisive), first: guard === first })),
    };
  });
}

const strategyOfAction: Readonly<Record<string, CheckedStrategy>> = {
  retry: 'retry',
  accept_partial: 'partial',
  use_alternative: 'alternative',
  use_default: 'fallback',
};

const checkNames: Readonly<Record<string, string>> = {
  timed_out: 'The attempt timed out',
  partial_accepted: 'Partial output is available and accepted',
  transient: 'The error is transient',
  unknown_failures: 'A failure of unknown cause may be tried again',
  circuit_closed: 'The circuit is closed',
  may_wait: 'The call may wait as long as its tool is held',
  safe_to_repeat: 'It is safe to repeat',
  safe_to_replace: 'It is safe to replace',
  attempts_left: 'Attempts left',
  worth_retrying: 'Retries have succeeded before',
  retry_time_left: 'The retry starts within the retry time',
  turn_time_left: 'The retry starts before the deadline',
  retry_budget_left: 'The tool’s retry budget allows it',
  turn_retries_left: 'The turn’s retry limit allows it',
  not_cancelled: 'The call was not cancelled',
  fallback_declared: 'A fallback value is declared',
};

function checkLine(guard: Guard, decisive: boolean): Omit<CheckLine, 'first'> {
  const name = guardName(guard);
  const subject = guardSubject(guard);
  const formatMeasured = (value: unknown): string => {
    if (typeof value === 'number') return measuresTime(guard) ? formatDuration(value) : String(value);
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
  if (name.startsWith('rule_allows_')) return `A recovery rule allows ${name.slice('rule_allows_'.length).replaceAll('_', ' ')}`;
  return Object.hasOwn(checkNames, name) ? (checkNames[name] ?? name) : name.replaceAll('_', ' ');
}

const describeRule = ({ rule, effect, strategy, reason }: Partial<DecisionInputs['recoveryRules'][number]>): string => {
  const does = effect === 'deny' ? 'denies' : effect === 'prefer' ? 'prefers' : 'allows';
  return `${word(rule)} ${does} ${word(strategy).replaceAll('_', ' ')}${reason === undefined ? '' : `: ${word(reason)}`}`;
};

const describeEvidence = ({ strategy, toolName, tried, succeeded, withheld }: Partial<DecisionInputs['evidence'][number]>): string => {
  const what = strategy === 'use_alternative' ? `The alternative ${word(toolName)}` : 'Retries';
  const left = withheld === undefined ? '' : `; not tried ${word(withheld)} times`;
  return `${what} succeeded ${word(succeeded)} of ${word(tried)} times${left}`;
};
