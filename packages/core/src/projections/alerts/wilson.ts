/** Owns the Wilson interval of a share: how certain it is, given the number of calls. */

/** The bounds of a share, 0 to 1. */
export interface Interval {
  readonly lower: number;
  readonly upper: number;
}

/** Standard deviations of a 95 % interval. */
export const DEVIATIONS_95 = 1.96;

/** Returns the interval of `part` out of `volume`; extrapolation may put `part` slightly below 0 or above `volume`. */
export function wilsonInterval(part: number, volume: number, deviations: number = DEVIATIONS_95): Interval {
  if (!(volume > 0)) return { lower: 0, upper: 1 };
  const share = Math.min(1, Math.max(0, part / volume));
  const square = deviations * deviations;
  const middle = share + square / (2 * volume);
  const spread = deviations * Math.sqrt((share * (1 - share)) / volume + square / (4 * volume * volume));
  const scale = 1 + square / volume;
  return { lower: Math.max(0, (middle - spread) / scale), upper: Math.min(1, (middle + spread) / scale) };
}
