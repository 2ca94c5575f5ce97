/** Describes a share. A percentage always comes with its counts. */
import type { Share } from '@holdfast/gateway/contract';
import { pluralize, formatNumber, formatPercent } from './format.ts';

/** With fewer calls than this, a share is not conclusive. Same as in the alert rules. */
const fewCalls = 5;

/** A failure share above this is high. */
const failureLimit = 0.05;

export interface ShareText {
  readonly value: string;
  /** `3 of 20`. */
  readonly of: string;
  /** A sentence with the interval. */
  readonly title: string;
  /** Too few to be conclusive. */
  readonly few: boolean;
  /** Significantly too high: the lower bound is above the limit, with enough calls. */
  readonly high: boolean;
}

export function describeShare({ part, whole, share, low, high }: Share, noun = 'call'): ShareText {
  if (whole === 0) return { value: '–', of: `no ${noun}s`, title: `There were no ${noun}s.`, few: true, high: false };
  const few = whole < fewCalls;
  const bounds = `95 % confidence interval ${formatPercent(low)} to ${formatPercent(high)}`;
  return {
    value: formatPercent(share),
    of: `${formatNumber(part)} of ${formatNumber(whole)}`,
    title: `${formatNumber(part)} of ${pluralize(whole, noun)}: ${formatPercent(share)}, ${bounds}.${few ? ` Few ${noun}s, so not conclusive.` : ''}`,
    few,
    high: !few && low > failureLimit,
  };
}

/** A share with its 95 % Wilson interval. */
export function shareOf(part: number, whole: number): Share {
  if (whole <= 0) return { part: 0, whole: 0, share: 0, low: 0, high: 0 };
  const z = 1.96;
  const share = part / whole;
  const spread = 1 + (z * z) / whole;
  const middle = share + (z * z) / (2 * whole);
  const half = z * Math.sqrt((share * (1 - share)) / whole + (z * z) / (4 * whole * whole));
  return { part, whole, share, low: Math.max(0, (middle - half) / spread), high: Math.min(1, (middle + half) / spread) };
}
