/** Owns the sides of a what-if beside each other, in words. Pure. */
import type { WhatIfAnswer, WhatIfDifference, WhatIfRange, WhatIfSide } from '@holdfast/gateway/contract';
import { count, duration, number, percent } from '../../ui/format.ts';
import type { TurnView } from '@holdfast/core/turn-view';

export interface ComparisonRow {
  readonly name: string;
  readonly recorded: string;
  readonly replayed: string;
  readonly worst: string;
  readonly best: string;
  /** Between what the truth lies: `2–4`, or `3` where nothing unknown is in it; empty where that is not known either. */
  readonly within: string;
  /** Replayed against recorded: `+1`, `1.2 s less`; empty where they are the same. */
  readonly change: string;
  readonly better: boolean | undefined;
}

export function comparison({ recorded, replayed, bounds, ranges }: WhatIfAnswer): readonly ComparisonRow[] {
  const { worst, best } = bounds;
  const outcome = (side: WhatIfSide): string => side.outcome;
  const sides = (show: (side: WhatIfSide) => string): Pick<ComparisonRow, 'recorded' | 'replayed' | 'worst' | 'best'> => ({
    recorded: show(recorded),
    replayed: show(replayed),
    worst: show(worst),
    best: show(best),
  });
  const formatCount = (
    name: string,
    field: 'attempts' | 'retries' | 'calls_succeeded' | 'calls_failed',
    moreIs: 'better' | 'worse' | 'neither',
  ): ComparisonRow => {
    const by = replayed[field] - recorded[field];
    return {
      name,
      ...sides((side) => number(side[field])),
      within: rangeWords(ranges?.[field], number),
      change: by === 0 ? '' : by > 0 ? `${number(by)} more` : `${number(-by)} fewer`,
      better: by === 0 || moreIs === 'neither' ? undefined : by > 0 === (moreIs === 'better'),
    };
  };
  const longer = replayed.duration_ms - recorded.duration_ms;
  // Our own steps take no time in a replay: so small a difference says nothing.
  const same = Math.abs(longer) < Math.max(5, recorded.duration_ms * 0.01);
  return [
    {
      name: 'Outcome',
      ...sides(outcome),
      within: ranges === undefined ? '' : wholeWords(ranges.whole),
      change: recorded.outcome === replayed.outcome ? '' : 'another',
      better: outcomeBetter(recorded, replayed),
    },
    {
      name: 'Took',
      ...sides((side) => duration(side.duration_ms)),
      within: rangeWords(ranges?.duration_ms, duration),
      change: same ? '' : `${duration(Math.abs(longer))} ${longer > 0 ? 'more' : 'less'}`,
      better: same ? undefined : longer < 0,
    },
    formatCount('Calls that succeeded', 'calls_succeeded', 'better'),
    formatCount('Calls that failed', 'calls_failed', 'worse'),
    formatCount('Attempts', 'attempts', 'neither'),
    formatCount('Retries', 'retries', 'neither'),
  ];
}

function rangeWords(range: WhatIfRange | undefined, show: (value: number) => string): string {
  if (range === undefined) return '';
  const [low, high] = [show(range.low), show(range.high)];
  return low === high ? low : `${low} – ${high}`;
}

function wholeWords({ low, high }: WhatIfRange): string {
  if (low !== high) return 'success or not';
  return low === 1 ? 'success' : 'no success';
}

/** How much of the answer was observed, in one sentence; `undefined` where nothing tells. */
export function observed({ ranges }: WhatIfAnswer): string | undefined {
  if (ranges === undefined) return undefined;
  if (ranges.observed_share === 1) return 'Nothing unknown is in any figure: each is a number.';
  return `${percent(ranges.observed_share)} of the calls depend on nothing unknown. For the others the truth lies within the ranges, whichever attempts would have failed and whenever they would have been made.`;
}

const ranks: Readonly<Record<string, number>> = { success: 3, partial: 2, deadline: 1, failed: 0, cancelled: 0 };

function outcomeBetter({ outcome: before }: WhatIfSide, { outcome: after }: WhatIfSide): boolean | undefined {
  const [one, other] = [ranks[before], ranks[after]];
  return one === undefined || other === undefined || one === other ? undefined : other > one;
}

/** What is known about the answer, in one sentence. */
export function certainty(answer: WhatIfAnswer): string {
  const { unknown_attempts: unknown, ranges } = answer;
  if (unknown === 0 && ranges !== undefined && ranges.observed_share < 1)
    return 'Every attempt of the replay was made in the record too, but not at that moment: how some of them would have ended then is not known.';
  if (unknown === 0) return 'Every attempt of the replay was made in the record too: nothing had to be guessed.';
  return `${count(unknown, 'attempt was', 'attempts were')} never made in the record; nobody knows how they would have ended. ${eitherWay(answer)}`;
}

function eitherWay({ bounds: { worst, best }, ranges }: WhatIfAnswer): string {
  if (worst.outcome !== best.outcome)
    return `If all of them had failed the outcome is ${worst.outcome}, if all had succeeded ${best.outcome}.`;
  const isOpen = ranges !== undefined && ranges.whole.low !== ranges.whole.high;
  return isOpen
    ? `If all of them had failed the outcome is ${worst.outcome}, and so it is if all had succeeded; if some had, it may be another.`
    : `Whatever they would have done, the outcome is ${worst.outcome}.`;
}

export const sideWords = (side: WhatIfDifference['recorded']): string =>
  side === undefined ? 'none' : `${side.action.replace(/^(use|accept)_/u, '$1 ')}: ${side.reason}`;

/** The differences as they came about: by the time of the decision or end that they are about, in whichever turn it is. */
export function inTime(
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
