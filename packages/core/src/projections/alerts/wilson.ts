/** Owns the Wilson interval of a share: how sure so few calls make one of it. */

/** The bounds of a share, 0 to 1. */
export interface Interval {
  readonly lower: number;
  readonly upper: number;
}

/** Standard deviations of a 95 % interval. */
export const DEVIATIONS_95 = 1.96;

/** Of `part` out of `volume`; `part` may be more or less by what was extrapolated. */
export function wilsonInterval(part: number, volume: number, deviations: number = DEVIATIONS_95): Interval {
  if (!(volume > 0)) return { lower: 0, upper: 1 };
  const share = Math.min(1, Math.max(0, part / volume));
  const square = deviations * deviations;
  const middle = share + square / (2 * volume);
  const spread = deviations * Math.sqrt((share * (1 - share)) / volume + square / (4 * volume * volume));
  const scale = 1 + square / volume;
  return { lower: Math.max(0, (middle - spread) / scale), upper: Math.min(1, (middle + spread) / scale) };
}
