/** The list of turns: filters for the URL and the request, merging of pages, texts of a row. */
import type { TurnItem } from '@holdfast/gateway/contract';
import { pluralize, formatDuration, joinWords } from '../../ui/format.ts';

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

/** The query parameters of the request, without cursor and limit. */
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
  /** The number of new turns that are not in `turns` because they were held back. */
  readonly held: number;
  /** The page does not overlap with the existing turns, so turns may be missing in between. */
  readonly gap: boolean;
}

/**
 * Merges the newest page into the list. Updates known turns in place; adds new ones on top or, with `hold`, only counts them.
 * Existing turns keep their order. `known` are their keys.
 */
export function mergeHead(existing: readonly TurnItem[], page: readonly TurnItem[], hold: boolean, known: ReadonlySet<string>): Merged {
  const latest = new Map(page.map((turn) => [keyOf(turn), turn]));
  const fresh = page.filter((turn) => !known.has(keyOf(turn)));
  const updated = existing.map((turn) => latest.get(keyOf(turn)) ?? turn);
  const changed = updated.some((turn, at) => turn !== existing[at]);
  const gap = existing.length > 0 && page.length > 0 && fresh.length === page.length;
  if (hold) return { turns: changed ? updated : existing, held: fresh.length, gap };
  return { turns: fresh.length === 0 ? (changed ? updated : existing) : [...fresh, ...updated], held: 0, gap };
}

/** Appends a page without duplicates. `known` are the keys of `existing`, so that a long list is not searched for each page. */
export function mergeTail(existing: readonly TurnItem[], page: readonly TurnItem[], known: ReadonlySet<string>): readonly TurnItem[] {
  return [...existing, ...page.filter((turn) => !known.has(keyOf(turn)))];
}

export function durationOf({ facts, started_at: started, ended_at: ended, state }: TurnItem): string {
  if (state === 'running') return '…';
  if (facts) return formatDuration(facts.duration_ms);
  return ended === undefined ? '–' : formatDuration(Date.parse(ended) - Date.parse(started));
}

/** Short notes on what happened in the turn. */
export function troubleOf({ facts }: TurnItem): readonly string[] {
  if (!facts) return [];
  return [
    ...(facts.failed_calls > 0 ? [`${facts.failed_calls} failed`] : []),
    ...(facts.skipped_calls > 0 ? [`${facts.skipped_calls} skipped`] : []),
    ...(facts.retries > 0 ? [pluralize(facts.retries, 'retry', 'retries')] : []),
    ...(facts.waited_ms >= 1 ? [`waited ${formatDuration(facts.waited_ms)}`] : []),
    ...(facts.used_alternative ? ['alternative'] : []),
    ...(facts.deadline_missed ? ['deadline missed'] : []),
    ...(facts.repaired ? ['repaired'] : []),
  ];
}

export function toolsOf({ facts, calls }: TurnItem): string {
  if (!facts || facts.tools.length === 0) return pluralize(calls, 'call');
  const [first, second, ...rest] = facts.tools;
  const names = [first, second].filter((name) => name !== undefined);
  return rest.length === 0 ? names.join(', ') : `${names.join(', ')} and ${rest.length} more`;
}

/** The filters as text, for screen readers. */
export function describeFilter(filter: TurnsFilter): string {
  const words = [
    filter.outcome === 'any' ? '' : filter.outcome,
    filter.tool === '' ? '' : `tool ${filter.tool}`,
    filter.code === '' ? '' : `code ${filter.code}`,
    ...flags.filter((flag) => filter[flag]),
    filter.q === '' ? '' : `text “${filter.q}”`,
  ].filter(Boolean);
  return words.length === 0 ? 'all turns' : `turns: ${joinWords(words)}`;
}
