/** Means "forever" (71,000 years): sums with it stay exact and, unlike Infinity, it survives JSON. */
export const maxMs: number = 2 ** 51;

/** Sums of clock readings differ by less than this: a call must not wait a millisecond longer because of it. */
const roundingMs = 1e-6;

/**
 * How long to wait until a moment, as reported to a caller.
 *
 * 1. At least 1 and never more than the largest safe integer, whatever the inputs.
 * 2. A caller that waits that long arrives at the moment or after it, also with fractional clocks.
 */
export function waitMs(until: number, now: number): number {
  const whole = Math.ceil(until - now - roundingMs);
  if (!(whole >= 1)) return 1;
  const enough = now + whole < until ? whole + 1 : whole;
  return Math.min(enough, Number.MAX_SAFE_INTEGER);
}
