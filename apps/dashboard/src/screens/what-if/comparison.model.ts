/** Compares the recorded and the replayed turn. */
import type { WhatIfAnswer, WhatIfDifference, WhatIfRange, WhatIfSide } from '@holdfast/gateway/contract';
import { pluralize, formatDuration, formatNumber, formatPercent } from '../../ui/format.ts';
import type { TurnView } from '@holdfast/core/turn-view';

export interface ComparisonRow {
  readonly name: string;
  /** Under the recorded settings, replayed. */
  readonly unchanged: string;
  readonly replayed: string;
  readonly worst: string;
  readonly best: string;
  /** Lower and upper bound: `2–4`, or `3` if it is exact; empty if there are no bounds. */
  readonly within: string;
  /** The change from unchanged to replayed: `1 more`, `1.2 s less`; empty if unchanged. */
  readonly change: string;
  readonly better: boolean | undefined;
}

export function compareSides({ unchanged, replayed, bounds, ranges }: WhatIfAnswer): readonly ComparisonRow[] {
  const { worst, best } = bounds;
  const outcome = (side: WhatIfSide): string => side.outcome;
  const sides = (show: (side: WhatIfSide) => string): Pick<ComparisonRow, 'unchanged' | 'replayed' | 'worst' | 'best'> => ({
    unchanged: show(unchanged),
    replayed: show(replayed),
    worst: show(worst),
    best: show(best),
  });
  const formatCount = (
    name: string,
    field: 'attempts' | 'retries' | 'calls_succeeded' | 'calls_failed' | 'calls_skipped',
    moreIs: 'better' | 'worse' | 'neither',
  ): ComparisonRow => {
    const by = replayed[field] - unchanged[field];
    return {
      name,
      ...sides((side) => formatNumber(side[field])),
      within: formatRange(ranges?.[field], formatNumber),
      change: by === 0 ? '' : by > 0 ? `${formatNumber(by)} more` : `${formatNumber(-by)} fewer`,
      better: by === 0 || moreIs === 'neither' ? undefined : by > 0 === (moreIs === 'better'),
    };
  };
  const longer = replayed.duration_ms - unchanged.duration_ms;
  // The engine itself takes no time in a replay, so small differences are not significant.
  const same = Math.abs(longer) < Math.max(5, unchanged.duration_ms * 0.01);
  return [
    {
      name: 'Outcome',
      ...sides(outcome),
      within: ranges === undefined ? '' : formatSuccessRange(ranges.whole),
      change: unchanged.outcome === replayed.outcome ? '' : 'changed',
      better: outcomeBetter(unchanged, replayed),
    },
    {
      name: 'Duration',
      ...sides((side) => formatDuration(side.duration_ms)),
      within: formatRange(ranges?.duration_ms, formatDuration),
      change: same ? '' : `${formatDuration(Math.abs(longer))} ${longer > 0 ? 'more' : 'less'}`,
      better: same ? undefined : longer < 0,
    },
    formatCount('Successful calls', 'calls_succeeded', 'better'),
    formatCount('Failed calls', 'calls_failed', 'worse'),
    formatCount('Skipped calls', 'calls_skipped', 'worse'),
    formatCount('Attempts', 'attempts', 'neither'),
    formatCount('Retries', 'retries', 'neither'),
  ];
}

function formatRange(range: WhatIfRange | undefined, show: (value: number) => string): string {
  if (range === undefined) return '';
  const [low, high] = [show(range.low), show(range.high)];
  return low === high ? low : `${low} – ${high}`;
}

function formatSuccessRange({ low, high }: WhatIfRange): string {
  if (low !== high) return 'success or not';
  return low === 1 ? 'success' : 'no success';
}

/** Why the record took longer than its replay; `undefined` if it did not. */
export function describeLateness({ recorded, unchanged }: WhatIfAnswer): string | undefined {
  const lateMs = recorded.duration_ms - unchanged.duration_ms;
  if (lateMs < Math.max(5, recorded.duration_ms * 0.01)) return undefined;
  return `The recorded turn took ${formatDuration(recorded.duration_ms)}, ${formatDuration(lateMs)} longer than its replay with the same settings: its process was busy with other work, which no setting of the turn changes.`;
}

/** Describes how much of the result is known exactly; `undefined` without bounds. */
export function describeObserved({ ranges }: WhatIfAnswer): string | undefined {
  if (ranges === undefined) return undefined;
  if (ranges.observed_share === 1) return 'All values are exact.';
  return `${formatPercent(ranges.observed_share)} of the calls are known exactly. For the others, the bounds hold regardless of how the unknown attempts would have ended.`;
}

const ranks: Readonly<Record<string, number>> = { success: 3, partial: 2, deadline: 1, failed: 0, cancelled: 0 };

function outcomeBetter({ outcome: before }: WhatIfSide, { outcome: after }: WhatIfSide): boolean | undefined {
  const [one, other] = [ranks[before], ranks[after]];
  return one === undefined || other === undefined || one === other ? undefined : other > one;
}

/** Describes how certain the result is. */
export function describeCertainty(answer: WhatIfAnswer): string {
  const { unknown_attempts: unknown, ranges } = answer;
  if (unknown === 0 && ranges !== undefined && ranges.observed_share < 1)
    return 'Every attempt of the replay was recorded too, but at another time. How some of them would have ended is unknown.';
  if (unknown === 0) return 'Every attempt of the replay was recorded too, so the result is certain.';
  return `${pluralize(unknown, 'attempt was', 'attempts were')} never recorded, so how they would have ended is unknown. ${describeOutcomes(answer)}`;
}

function describeOutcomes({ bounds: { worst, best }, ranges }: WhatIfAnswer): string {
  if (worst.outcome !== best.outcome)
    return `If all of them failed, the outcome would be ${worst.outcome}; if all succeeded, ${best.outcome}.`;
  const isOpen = ranges !== undefined && ranges.whole.low !== ranges.whole.high;
  return isOpen
    ? `If all of them failed or all succeeded, the outcome would be ${worst.outcome}; otherwise it may differ.`
    : `In either case the outcome would be ${worst.outcome}.`;
}

export const describeSide = (side: WhatIfDifference['recorded']): string =>
  side === undefined ? 'none' : `${side.action.replace(/^(use|accept)_/u, '$1 ')}: ${side.reason}`;

/** Sorts the differences by the time of their decision or end, in either turn. */
export function sortByTime(
  differences: readonly WhatIfDifference[],
  recorded: TurnView,
  replayed: TurnView,
): readonly (WhatIfDifference & { readonly atMs: number })[] {
  const timed = differences.map((difference) => ({
    ...difference,
    atMs: Math.min(timeIn(difference, recorded), timeIn(difference, replayed)),
  }));
  return timed.toSorted((a, b) => a.atMs - b.atMs);
}

function timeIn({ where, call_id: callId }: WhatIfDifference, { calls }: TurnView): number {
  const call = calls.find((each) => each.callId === callId);
  const place = /^decision (\d+) of /u.exec(where)?.[1];
  const atMs = place === undefined ? call?.endedMs : call?.decisions[Number(place) - 1]?.atMs;
  return atMs ?? Number.POSITIVE_INFINITY;
}
