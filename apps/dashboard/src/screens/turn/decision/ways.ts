/** Which way of going on each check of a decision belongs to. */
import type { DecisionInputs, Guard } from '@holdfast/gateway/contract';
import { records, text } from '../fields.ts';

export type Way = 'partial' | 'retry' | 'alternative' | 'fallback' | 'other';

export interface CheckedWay {
  readonly way: Way;
  /** The alternative that it is about. */
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

/** Without what follows a colon: `alternative_available:flight_search_backup` names a tool there. */
export const checkName = (guard: Guard): string => text(guard.guard).split(':', 1)[0] ?? '';

export const checkSubject = (guard: Guard): string => text(guard.guard).slice(checkName(guard).length + 1);

/** The checks in their order, those of one way together. */
export function checkedWays(guards: readonly Guard[]): readonly CheckedWay[] {
  const checked: { way: Way; subject: string; guards: Guard[] }[] = [];
  for (const guard of records(guards) as readonly unknown[] as readonly Guard[]) {
    const last = checked.at(-1);
    const way = wayOf(guard, last?.way);
    const subject = way === 'alternative' ? checkSubject(guard) : '';
    // An alternative's checks begin with the same check each time: two alternatives are two ways.
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

/** Partial output is a way only after a timeout that left some. */
export const isIdle = (way: Way, inputs: DecisionInputs): boolean => way === 'partial' && inputs.partialAvailable !== true;
