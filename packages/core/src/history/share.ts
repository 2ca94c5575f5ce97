/** Owns shares of small numbers: how sure one may be of them. */

export interface Share {
  readonly part: number;
  readonly whole: number;
  /** `part / whole`, 0 when there is nothing. */
  readonly share: number;
  /** Wilson 95 % bounds; 0 and 1 when there is nothing. */
  readonly low: number;
  readonly high: number;
}

/** Standard deviations that 95 % of a normal distribution lie within. */
const z = 1.959_963_984_540_054;

export function shareOf(part: number, whole: number): Share {
  if (whole <= 0) return { part: 0, whole: 0, share: 0, low: 0, high: 1 };
  const share = part / whole;
  const square = z ** 2 / whole;
  const centre = share + square / 2;
  const spread = z * Math.sqrt((share * (1 - share)) / whole + square / (4 * whole));
  const low = part === 0 ? 0 : Math.max(0, (centre - spread) / (1 + square));
  const high = part === whole ? 1 : Math.min(1, (centre + spread) / (1 + square));
  return { part, whole, share, low, high };
}
