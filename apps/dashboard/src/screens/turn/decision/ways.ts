/** Groups the checks of a decision by the strategy that they guard. */
import type { DecisionInputs, Guard } from '@holdfast/gateway/contract';
import { records, text } from '../fields.ts';

export type Way = 'partial' | 'retry' | 'alternative' | 'fallback' | 'other';

export interface CheckedWay {
  readonly way: Way;
  /** The alternative, if it is about one. */
  readonly subject: string;
  readonly guards: readonly Guard[];
}

const ways: Readonly<Record<string, Way>> = {
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
export const checkName = (guard: Guard): string => text(guard.guard).split(':', 1)[0] ?? '';

export const checkSubject = (guard: Guard): string => text(guard.guard).slice(checkName(guard).length + 1);

/** Keeps the order of the checks, and groups adjacent ones of the same strategy. */
export function checkedWays(guards: readonly Guard[]): readonly CheckedWay[] {
  const checked: { way: Way; subject: string; guards: Guard[] }[] = [];
  for (const guard of records(guards) as readonly unknown[] as readonly Guard[]) {
    const last = checked.at(-1);
    const way = wayOf(guard, last?.way);
    const subject = way === 'alternative' ? checkSubject(guard) : '';
    // The same check again starts the next alternative.
    const begins = way === 'alternative' && last?.guards.some((known) => known.guard === guard.guard) === true;
    if (last === undefined || last.way !== way || begins) checked.push({ way, subject, guards: [guard] });
    else {
      last.guards.push(guard);
      last.subject ||= subject;
    }
  }
  return checked;
}

function wayOf(guard: Guard, before: Way | undefined): Way {
  const name = checkName(guard);
  if (name === 'not_cancelled') return before === 'fallback' ? 'fallback' : 'alternative';
  return Object.hasOwn(ways, name) ? (ways[name] ?? 'other') : 'other';
}

/** Accepting partial output only applies if there is any. */
export const isIdle = (way: Way, inputs: DecisionInputs): boolean => way === 'partial' && inputs.partialAvailable !== true;
