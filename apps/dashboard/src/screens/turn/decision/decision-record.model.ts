/** Owns the record of a decision as one reads it: what it was made from, what was checked and seen, what was decided, by whom, and what would have changed it. */
import type { RecordedDecisionInputs, Guard } from '@holdfast/gateway/contract';
import { records, said, text, time, timeOrNone, word } from '../fold/read.ts';
import type { DecisionView, Failure } from '../fold/turn-view.ts';
import { duration } from '../../../ui/format.ts';
import { type Otherwise, otherwise, type OtherwiseContext } from './otherwise.ts';
import { checkedWays, checkName, checkSubject, isIdle, type Way } from './ways.ts';

export interface DecisionRecord {
  readonly seq: number;
  readonly atMs: number;
  readonly attempt: number;
  readonly toolId: string;
  /** `Attempt 2 of flight_search failed` */
  readonly title: string;
  readonly failure: Failure | undefined;
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
  readonly way: Way;
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

export function decisionRecord(view: DecisionView, failures: readonly Failure[], context: OtherwiseContext): DecisionRecord {
  const { decision, inputs } = view;
  return {
    seq: view.seq,
    atMs: view.atMs,
    attempt: view.attempt,
    toolId: view.toolId,
    title: titleOf(view),
    failure: failures.findLast(({ attempt, toolId, seq }) => attempt === view.attempt && toolId === view.toolId && seq <= view.seq),
    verdict: verdictOf(view),
    action: text(decision.action),
    reason: said(decision.reason),
    stoppedBy: text(decision.stopped_by),
    decidedBy:
      view.decidedBy === 'handler'
        ? 'An advisor of the program changed the built-in decision. The checks are the built-in ones: they do not say why.'
        : 'The built-in decision.',
    inputs: inputLines(inputs),
    ways: wayRecords(view),
    recoveryRules: records(inputs.recovery_rules).map(ruleWords),
    evidence: records(inputs.evidence).map(evidenceWords),
    otherwise: view.decidedBy === 'handler' ? [] : otherwise(view, context),
  };
}

function titleOf({ inputs, attempt, toolId }: DecisionView): string {
  if (inputs.failure === 'refused') return `${toolId} was not called`;
  return `Attempt ${attempt} of ${toolId} ${inputs.failure === 'timeout' ? 'timed out' : 'failed'}`;
}

function verdictOf({ decision }: DecisionView): string {
  switch (decision.action) {
    case 'retry':
      return decision.delay_ms === undefined ? 'Retry' : `Retry in ${duration(decision.delay_ms)}`;
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

function inputLines(inputs: RecordedDecisionInputs): readonly InputLine[] {
  const line = (name: string, value: string): readonly InputLine[] => (value === '' ? [] : [{ name, value }]);
  const time_ = (name: string, value: unknown): readonly InputLine[] => {
    const known = timeOrNone(value);
    return known === undefined ? [] : [{ name, value: duration(known) }];
  };
  const alternatives = records(inputs.alternatives).map(
    ({ tool_id, available, circuit_breaker_state }) =>
      `${word(tool_id)} (${available === true ? 'available' : `not available, circuit ${word(circuit_breaker_state)}`})`,
  );
  return [
    ...line('Error', `${text(inputs.classification)}, ${text(inputs.category)} (rule ${text(inputs.rule)})`),
    ...line('Attempts', `${time(inputs.attempts)} of ${time(inputs.max_attempts)}`),
    ...line(
      'Circuit',
      `${text(inputs.circuit_breaker_state).replace('_', '-')}${inputs.probe === true ? ', this attempt was its probe' : ''}`,
    ),
    ...line('Effect', inputs.effect === undefined ? 'not declared' : word(inputs.effect)),
    ...line('May have happened', inputs.ambiguous === true ? 'yes: the request had been sent' : ''),
    ...time_('Next wait', inputs.next_delay_ms),
    ...time_('Asked to wait', inputs.retry_after_ms),
    ...line('Retry clock', `${duration(time(inputs.retry_elapsed_ms))} of ${duration(time(inputs.max_total_time_ms))}`),
    ...time_('Left in the turn', inputs.turn_time_left_ms),
    ...line('Retry budget', inputs.retry_budget_left === undefined ? '' : `${word(inputs.retry_budget_left)} left`),
    ...line('Turn’s retries', inputs.turn_retries_left === undefined ? '' : `${word(inputs.turn_retries_left)} left`),
    ...line('Alternatives', alternatives.length === 0 ? 'none' : alternatives.join(', ')),
    ...line('Fallback value', inputs.fallback_available === true ? 'declared' : 'none'),
    ...line('Partial output', inputs.partial_available === true ? `there, ${inputs.accept_partial === true ? '' : 'not '}accepted` : ''),
    ...line('Call', inputs.optional === true ? 'optional' : 'required'),
  ];
}

const wayNames: Readonly<Record<Way, string>> = {
  partial: 'Accept partial output',
  retry: 'Retry',
  alternative: 'Use an alternative',
  fallback: 'Use the fallback value',
  other: 'Other checks',
};

function wayRecords({ decision, inputs }: DecisionView): readonly WayRecord[] {
  let first: Guard | undefined;
  return checkedWays(decision.guards).map(({ way, subject, guards }) => {
    const decisive = guards.find((guard) => guard.passed !== true);
    if (!isIdle(way, inputs)) first ??= decisive;
    return {
      way,
      name: subject === '' ? wayNames[way] : `Use ${subject}`,
      taken: decisive === undefined && takes[text(decision.action)] === way,
      idle: isIdle(way, inputs),
      checks: guards.map((guard) => ({ ...checkLine(guard, guard === decisive), first: guard === first })),
    };
  });
}

const takes: Readonly<Record<string, Way>> = {
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

const budgets = new Set(['retry_budget_left', 'turn_retries_left']);
const inMilliseconds = new Set(['retry_time_left', 'turn_time_left']);

function checkLine(guard: Guard, decisive: boolean): Omit<CheckLine, 'first'> {
  const name = checkName(guard);
  const subject = checkSubject(guard);
  const measured = (value: unknown): string => {
    if (typeof value === 'number') return inMilliseconds.has(name) ? duration(value) : String(value);
    if (typeof value === 'boolean') return value ? 'yes' : 'no';
    return subject === '' ? text(value).replace('_', '-') : `circuit ${text(value).replace('_', '-')}`;
  };
  return {
    guard: text(guard.guard),
    name: subject === '' ? nameOf(name) : `${subject} is available`,
    passed: guard.passed === true,
    decisive,
    value: measured(guard.value),
    limit: guard.limit === undefined ? '' : `${comparison(name, guard)} ${measured(guard.limit)}`,
  };
}

function nameOf(name: string): string {
  if (name.startsWith('rule_allows_')) return `A policy allows ${name.slice('rule_allows_'.length).replaceAll('_', ' ')}`;
  return Object.hasOwn(checkNames, name) ? (checkNames[name] ?? name) : name.replaceAll('_', ' ');
}

/** Budgets must reach their limit, everything else must stay below it. */
function comparison(name: string, guard: Guard): string {
  if (budgets.has(name)) return guard.passed === true ? 'at least' : 'needs';
  return guard.passed === true ? 'below' : 'not below';
}

const ruleWords = ({ rule, effect, strategy, reason }: Readonly<Record<string, unknown>>): string => {
  const does = effect === 'deny' ? 'denies' : effect === 'prefer' ? 'prefers' : 'allows';
  return `${word(rule)} ${does} ${word(strategy).replaceAll('_', ' ')}${reason === undefined ? '' : `: ${word(reason)}`}`;
};

const evidenceWords = ({ strategy, tool_id, tried, succeeded, withheld }: Readonly<Record<string, unknown>>): string => {
  const what = strategy === 'use_alternative' ? `The alternative ${word(tool_id)}` : 'Retries';
  const left = withheld === undefined ? '' : `; left out ${word(withheld)} times`;
  return `${what} helped ${word(succeeded)} of ${word(tried)} times${left}`;
};
