/** Owns what is said of a share. Pure. A percentage never stands alone: the numbers it was made from are beside it. */
import type { Share } from '@holdfast/gateway/contract';
import { count, number, percent } from './format.ts';

/** With fewer calls than this, a share is a hint and no finding. As the alert rules have it. */
const fewCalls = 20;

/** Above it a failure share is high. */
const failureLimit = 0.05;

export interface ShareWords {
  readonly value: string;
  /** `3 of 20`. */
  readonly of: string;
  /** A sentence with the interval. */
  readonly title: string;
  /** Too few to mean anything. */
  readonly few: boolean;
  /** The lower bound is above the limit, with enough calls: surely too high. */
  readonly high: boolean;
}

export function shareWords({ part, whole, share, low, high }: Share, noun = 'call'): ShareWords {
  if (whole === 0) return { value: '–', of: `no ${noun}s`, title: `There were no ${noun}s.`, few: true, high: false };
  const few = whole < fewCalls;
  const bounds = `95 % sure of ${percent(low)} to ${percent(high)}`;
  return {
    value: percent(share),
    of: `${number(part)} of ${number(whole)}`,
    title: `${number(part)} of ${count(whole, noun)}: ${percent(share)}, ${bounds}.${few ? ` Few ${noun}s: take it as a hint.` : ''}`,
    few,
    high: !few && low > failureLimit,
  };
}

/** A share with its Wilson 95 % bounds, of numbers that come without them. */
export function shareOf(part: number, whole: number): Share {
  if (whole <= 0) return { part: 0, whole: 0, share: 0, low: 0, high: 0 };
  const z = 1.96;
  const share = part / whole;
  const spread = 1 + (z * z) / whole;
  const middle = share + (z * z) / (2 * whole);
  const half = z * Math.sqrt((share * (1 - share)) / whole + (z * z) / (4 * whole * whole));
  return { part, whole, share, low: Math.max(0, (middle - half) / spread), high: Math.min(1, (middle + half) / spread) };
}
