/** Owns which strategy each check of a decision belongs to, for the views that show decisions. */
import { checkRule } from '../../engine/settings/check.ts';
import type { DecisionInputs, Guard } from '../../engine/recover/decision.ts';
import { records, text } from './fields.ts';

/** A strategy that a decision checked. `other`: its checks are unknown to this version. */
export type CheckedStrategy = 'partial' | 'retry' | 'alternative' | 'fallback' | 'other';

/** The checks of one strategy, in their order. */
export interface StrategyGuards {
  /** The strategy that the checks decide about. */
  readonly strategy: CheckedStrategy;
  /** The name of the alternative that was checked; '' for the other strategies. */
  readonly subject: string;
  /** The checks, in the order in which they were made. */
  readonly guards: readonly Guard[];
}

const strategies: Readonly<Record<string, CheckedStrategy>> = {
  timed_out: 'partial',
  partial_accepted: 'partial',
  rule_allows_accept_partial: 'partial',
  transient: 'retry',
  unknown_failures: 'retry',
  circuit_closed: 'retry',
  may_wait: 'retry',
  safe_to_repeat: 'retry',
  rule_allows_retry: 'retry',
  attempts_left: 'retry',
  worth_retrying: 'retry',
  retry_time_left: 'retry',
  turn_time_left: 'retry',
  retry_budget_left: 'retry',
  turn_retries_left: 'retry',
  safe_to_replace: 'alternative',
  alternative_available: 'alternative',
  rule_allows_use_alternative: 'alternative',
  fallback_declared: 'fallback',
  rule_allows_use_default: 'fallback',
};

const budgets: ReadonlySet<string> = new Set(['retry_budget_left', 'turn_retries_left']);
const inMilliseconds: ReadonlySet<string> = new Set(['retry_time_left', 'turn_time_left', 'may_wait']);

/** The part before the colon: `alternative_available:flight_search_backup` names a tool after it. */
export function guardName(guard: Guard): string {
  checkRule('object', guard, 'guard');
  return text(guard.guard).split(':', 1)[0] ?? '';
}

/** The part after the colon; '' if there is none. */
export function guardSubject(guard: Guard): string {
  const { length } = guardName(guard);
  return text(guard.guard).slice(length + 1);
}

/** Whether the value and the limit of the check are durations in milliseconds. */
export function measuresTime(guard: Guard): boolean {
  return inMilliseconds.has(guardName(guard));
}

/** Compares the value to the limit: a budget must be at least its limit, everything else must be below it. */
export function compareToLimit(guard: Guard): 'at least' | 'needs' | 'below' | 'not below' {
  const name = guardName(guard);
  const passed = guard.passed === true;
  if (budgets.has(name)) return passed ? 'at least' : 'needs';
  return passed ? 'below' : 'not below';
}

/** Keeps the order of the checks, and groups adjacent ones of the same strategy. What a damaged record has in their place is left out. */
export function groupByStrategy(guards: readonly Guard[]): readonly StrategyGuards[] {
  const groups: { strategy: CheckedStrategy; subject: string; guards: Guard[] }[] = [];
  for (const guard of records(guards)) {
    const last = groups.at(-1);
    const strategy = strategyOf(guard, last?.strategy);
    const subject = strategy === 'alternative' ? guardSubject(guard) : '';
    // The same check again starts the next alternative.
    const isNextAlternative = strategy === 'alternative' && last?.guards.some((known) => known.guard === guard.guard) === true;
    if (last === undefined || last.strategy !== strategy || isNextAlternative) groups.push({ strategy, subject, guards: [guard] });
    else {
      last.guards.push(guard);
      last.subject ||= subject;
    }
  }
  return groups;
}

function strategyOf(guard: Guard, previous: CheckedStrategy | undefined): CheckedStrategy {
  const name = guardName(guard);
  if (name === 'not_cancelled') return previous === 'fallback' ? 'fallback' : 'alternative';
  return Object.hasOwn(strategies, name) ? (strategies[name] ?? 'other') : 'other';
}

/** Accepting partial output only applies if there is any. */
export function isInapplicable(strategy: CheckedStrategy, inputs: DecisionInputs): boolean {
  checkRule('string', strategy, 'isInapplicable: strategy');
  checkRule('object', inputs, 'isInapplicable: inputs');
  return strategy === 'partial' && inputs.partialAvailable !== true;
}
