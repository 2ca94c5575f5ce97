/**
 * Owns which way to continue each check of a decision belongs to: what the views of a decision show together.
 */
import type { DecisionInputs, Guard } from '../../engine/recover/decision.ts';
import { records, text } from './fields.ts';

/** What a decision may choose. `other`: checks that this version does not know. */
export type Way = 'partial' | 'retry' | 'alternative' | 'fallback' | 'other';

/** The checks of one way, in their order. */
export interface GuardGroup {
  readonly way: Way;
  /** The name of the alternative that the checks are about; otherwise ''. */
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

const budgets: ReadonlySet<string> = new Set(['retry_budget_left', 'turn_retries_left']);
const inMilliseconds: ReadonlySet<string> = new Set(['retry_time_left', 'turn_time_left']);

/** Without what follows a colon: `alternative_available:flight_search_backup` names a tool there. */
export function guardName(guard: Guard): string {
  return text(guard.guard).split(':', 1)[0] ?? '';
}

/** What follows the colon. */
export function guardSubject(guard: Guard): string {
  return text(guard.guard).slice(guardName(guard).length + 1);
}

/** The value and the limit of the check are durations in milliseconds. */
export function measuresTime(guard: Guard): boolean {
  return inMilliseconds.has(guardName(guard));
}

/** How the value stands to the limit: a budget must reach it, everything else must stay below it. */
export function limitComparison(guard: Guard): 'at least' | 'needs' | 'below' | 'not below' {
  const passed = guard.passed === true;
  if (budgets.has(guardName(guard))) return passed ? 'at least' : 'needs';
  return passed ? 'below' : 'not below';
}

/** The checks in their order, those of one way together. */
export function groupGuards(guards: readonly Guard[]): readonly GuardGroup[] {
  const groups: { way: Way; subject: string; guards: Guard[] }[] = [];
  for (const guard of records(guards)) {
    const last = groups.at(-1);
    const way = wayOf(guard, last?.way);
    const subject = way === 'alternative' ? guardSubject(guard) : '';
    // An alternative's checks begin with the same check each time: two alternatives are two groups.
    const begins = way === 'alternative' && last?.guards.some((known) => known.guard === guard.guard) === true;
    if (last === undefined || last.way !== way || begins) groups.push({ way, subject, guards: [guard] });
    else {
      last.guards.push(guard);
      last.subject ||= subject;
    }
  }
  return groups;
}

function wayOf(guard: Guard, before: Way | undefined): Way {
  const name = guardName(guard);
  if (name === 'not_cancelled') return before === 'fallback' ? 'fallback' : 'alternative';
  return Object.hasOwn(ways, name) ? (ways[name] ?? 'other') : 'other';
}

/** The way was not open whatever its checks found: there is no partial output to accept. */
export function isIdleWay(way: Way, inputs: DecisionInputs): boolean {
  return way === 'partial' && inputs.partialAvailable !== true;
}
