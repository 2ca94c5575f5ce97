/** Groups the checks of a decision by the strategy that they guard. */
import type { DecisionInputs, Guard } from '@holdfast/gateway/contract';
import { records, text } from '../fields.ts';

export type Strategy = 'partial' | 'retry' | 'alternative' | 'fallback' | 'other';

export interface StrategyGuards {
  readonly strategy: Strategy;
  /** The alternative, if it is about one. */
  readonly subject: string;
  readonly guards: readonly Guard[];
}

const strategies: Readonly<Record<string, Strategy>> = {
  timed_out: 'partial',
  partial_accepted: 'partial',
  rule_allows_accept_partial: 'partial',
  transient: 'retry',
  circuit_closed: 'retry',
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

/** The part before the colon: `alternative_available:flight_search_backup` names a tool after it. */
export const guardName = (guard: Guard): string => text(guard.guard).split(':', 1)[0] ?? '';

export const guardSubject = (guard: Guard): string => text(guard.guard).slice(guardName(guard).length + 1);

/** Keeps the order of the checks, and groups adjacent ones of the same strategy. */
export function groupByStrategy(guards: readonly Guard[]): readonly StrategyGuards[] {
  const checked: { strategy: Strategy; subject: string; guards: Guard[] }[] = [];
  for (const guard of records(guards) as readonly unknown[] as readonly Guard[]) {
    const last = checked.at(-1);
    const strategy = strategyOf(guard, last?.strategy);
    const subject = strategy === 'alternative' ? guardSubject(guard) : '';
    // The same check again starts the next alternative.
    const begins = strategy === 'alternative' && last?.guards.some((known) => known.guard === guard.guard) === true;
    if (last === undefined || last.strategy !== strategy || begins) checked.push({ strategy, subject, guards: [guard] });
    else {
      last.guards.push(guard);
      last.subject ||= subject;
    }
  }
  return checked;
}

function strategyOf(guard: Guard, before: Strategy | undefined): Strategy {
  const name = guardName(guard);
  if (name === 'not_cancelled') return before === 'fallback' ? 'fallback' : 'alternative';
  return Object.hasOwn(strategies, name) ? (strategies[name] ?? 'other') : 'other';
}

/** Accepting partial output only applies if there is any. */
export const isInapplicable = (strategy: Strategy, inputs: DecisionInputs): boolean =>
  strategy === 'partial' && inputs.partialAvailable !== true;
