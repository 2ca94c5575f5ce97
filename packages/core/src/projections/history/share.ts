/** Owns shares of small numbers: how sure one may be of them. */
import { wilsonInterval } from '../alerts/wilson.ts';

/** A share of a count, with how sure one may be of it. */
export interface Share {
  /** How many are counted in. */
  readonly part: number;
  /** Out of how many. */
  readonly whole: number;
  /** `part / whole`, 0 when there is nothing. */
  readonly share: number;
  /** Wilson 95 % bounds; 0 and 1 when there is nothing. */
  readonly low: number;
  /** The upper Wilson 95 % bound; 1 when there is nothing. */
  readonly high: number;
}

/** Returns `part` of `whole` as a share with its Wilson 95 % bounds. */
export function shareOf(part: number, whole: number): Share {
  const { lower, upper } = wilsonInterval(part, whole);
  // To the very end, where a sum of fractions would miss it.
  return { part, whole, share: whole > 0 ? part / whole : 0, low: part === 0 ? 0 : lower, high: part === whole ? 1 : upper };
}
