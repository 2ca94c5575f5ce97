/** Owns the list of turns: its filters as the address and the gateway have them, how new turns come in on top, what a row says. Pure. */
import type { TurnItem } from '@holdfast/gateway/contract';
import { count, duration, joinWords } from '../../ui/format.ts';

export const turnsShape = {
  outcome: ['any', 'success', 'partial', 'failed', 'deadline', 'cancelled', 'running', 'interrupted'],
  tool: '',
  code: '',
  retried: false,
  deadline: false,
  repaired: false,
  alternative: false,
  q: '',
} as const;

export interface TurnsFilter {
  readonly outcome: string;
  readonly tool: string;
  readonly code: string;
  readonly retried: boolean;
  readonly deadline: boolean;
  readonly repaired: boolean;
  readonly alternative: boolean;
  readonly q: string;
}

const flags = ['retried', 'deadline', 'repaired', 'alternative'] as const;

/** What the gateway is asked, without cursor and limit. */
export function queryOf(filter: TurnsFilter): URLSearchParams {
  const query = new URLSearchParams();
  const { outcome } = filter;
  if (outcome === 'running' || outcome === 'interrupted') query.set('state', outcome);
  else if (outcome !== 'any') query.set('outcome', outcome);
  for (const [name, value] of [
    ['tool_id', filter.tool],
    ['code', filter.code],
    ['q', filter.q],
  ] as const)
    if (value.trim() !== '') query.set(name, value.trim());
  for (const flag of flags) if (filter[flag]) query.set(flag, 'true');
  return query;
}

export const isFiltered = (filter: TurnsFilter): boolean => queryOf(filter).size > 0;

export const keyOf = ({ turn_id: id, run }: Pick<TurnItem, 'turn_id' | 'run'>): string => `${run}\n${id}`;

export interface Merged {
  readonly turns: readonly TurnItem[];
  /** New ones that are not in `turns` because they were held back. */
  readonly held: number;
  /** The page did not reach down to what was there: between them turns may be missing. */
  readonly gap: boolean;
}

/**
 * Puts the newest page on top of what is there. Known turns are brought up to date in their places; with `hold` new ones only count.
 * What was there stays, in its order. `known` are its keys.
 */
export function mergeHead(there: readonly TurnItem[], page: readonly TurnItem[], hold: boolean, known: ReadonlySet<string>): Merged {
  const latest = new Map(page.map((turn) => [keyOf(turn), turn]));
  const fresh = page.filter((turn) => !known.has(keyOf(turn)));
  const kept = there.map((turn) => latest.get(keyOf(turn)) ?? turn);
  const changed = kept.some((turn, at) => turn !== there[at]);
  const gap = there.length > 0 && page.length > 0 && fresh.length === page.length;
  if (hold) return { turns: changed ? kept : there, held: fresh.length, gap };
  return { turns: fresh.length === 0 ? (changed ? kept : there) : [...fresh, ...kept], held: 0, gap };
}

/** Appends a page; what came in on top in between is not taken twice. `known` are the keys of `there`, so that a hundred thousand are not gone through for each page. */
export function mergeTail(there: readonly TurnItem[], page: readonly TurnItem[], known: ReadonlySet<string>): readonly TurnItem[] {
  return [...there, ...page.filter((turn) => !known.has(keyOf(turn)))];
}

export function durationOf({ facts, started_at: started, ended_at: ended, state }: TurnItem): string {
  if (state === 'running') return '…';
  if (facts) return duration(facts.duration_ms);
  return ended === undefined ? '–' : duration(Date.parse(ended) - Date.parse(started));
}

/** What happened in it, as short as it can be said. */
export function troubleOf({ facts }: TurnItem): readonly string[] {
  if (!facts) return [];
  return [
    ...(facts.failed_calls > 0 ? [`${facts.failed_calls} failed`] : []),
    ...(facts.skipped_calls > 0 ? [`${facts.skipped_calls} skipped`] : []),
    ...(facts.retries > 0 ? [count(facts.retries, 'retry', 'retries')] : []),
    ...(facts.used_alternative ? ['alternative'] : []),
    ...(facts.deadline_missed ? ['deadline missed'] : []),
    ...(facts.repaired ? ['repaired'] : []),
  ];
}

export function toolsOf({ facts, calls }: TurnItem): string {
  if (!facts || facts.tools.length === 0) return count(calls, 'call');
  const [first, second, ...rest] = facts.tools;
  const names = [first, second].filter((name) => name !== undefined);
  return rest.length === 0 ? names.join(', ') : `${names.join(', ')} and ${rest.length} more`;
}

/** The filters in a sentence, for anyone who hears the page. */
export function filterWords(filter: TurnsFilter): string {
  const words = [
    filter.outcome === 'any' ? '' : filter.outcome,
    filter.tool === '' ? '' : `tool ${filter.tool}`,
    filter.code === '' ? '' : `code ${filter.code}`,
    ...flags.filter((flag) => filter[flag]),
    filter.q === '' ? '' : `with “${filter.q}”`,
  ].filter(Boolean);
  return words.length === 0 ? 'all turns' : `turns: ${joinWords(words)}`;
}
