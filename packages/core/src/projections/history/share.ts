/** Owns shares of small numbers and their uncertainty. */
import { wilsonInterval } from '../alerts/wilson.ts';

/** A share of a count with its confidence interval. */
export interface Share {
  /** The numerator. */
  readonly part: number;
  /** The denominator. */
  readonly whole: number;
  /** `part / whole`; 0 when `whole` is 0. */
  readonly share: number;
  /** The lower Wilson 95 % bound; 0 when `whole` is 0. */
  readonly low: number;
  /** The upper Wilson 95 % bound; 1 when `whole` is 0. */
  readonly high: number;
}

/** Returns `part` of `whole` as a share with its Wilson 95 % bounds. */
export function shareOf(part: number, whole: number): Share {
  const { lower, upper } = wilsonInterval(part, whole);
  // Exactly 0 or 1 at the ends, which floating-point sums would miss.
  return { part, whole, share: whole > 0 ? part / whole : 0, low: part === 0 ? 0 : lower, high: part === whole ? 1 : upper };
}
