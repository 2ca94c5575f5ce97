/**
 * Owns how much a counter grew within a window, bit for bit as `increase()` of Prometheus 2.42.
 *
 * Invariants
 * 1. Both ends of the window belong to it; with fewer than two samples in it the result is undefined, not 0.
 * 2. A value below the one before it is a restart from 0.
 * 3. The growth between the first and the last sample is extrapolated to an end of the window that is closer than 1.1 times the mean sample interval, otherwise
 *    by half that interval, and never back to before the counter was 0.
 */

/** Samples of one series, oldest first. Times are milliseconds since the epoch. */
export interface Series {
  /** Times of the samples, milliseconds since 1970, ascending. */
  readonly times: readonly number[];
  /** Values of the samples, by the position of their times. */
  readonly values: readonly number[];
}

const NEAR = 1.1;

/** Returns how much a counter grew within the window that ends now; `undefined` with fewer than two samples in the window. */
export function increase({ times, values }: Series, nowEpochMs: number, windowMs: number): number | undefined {
  const from = nowEpochMs - windowMs;
  const first = times.findIndex((time) => time >= from);
  const last = times.findLastIndex((time) => time <= nowEpochMs);
  if (first === -1 || last <= first) return undefined;
  const at = (index: number): number => times[index] ?? 0;
  const sampledS = (at(last) - at(first)) / 1000;
  const growth = growthBetween(values, first, last);
  return (
    growth *
    (extrapolate(
      { sampledS, growth, intervals: last - first, firstValue: values[first] ?? 0 },
      (at(first) - from) / 1000,
      (nowEpochMs - at(last)) / 1000,
    ) /
      sampledS)
  );
}

function growthBetween(values: readonly number[], first: number, last: number): number {
  let previous = values[first] ?? 0;
  let growth = (values[last] ?? 0) - previous;
  for (let index = first + 1; index <= last; index++) {
    const value = values[index] ?? 0;
    if (value < previous) growth += previous;
    previous = value;
  }
  return growth;
}

interface Sampled {
  readonly sampledS: number;
  readonly growth: number;
  /** Number of intervals between samples. */
  readonly intervals: number;
  readonly firstValue: number;
}

/** The seconds that the growth is extrapolated to. */
function extrapolate({ sampledS, growth, intervals, firstValue }: Sampled, toStartS: number, toEndS: number): number {
  const intervalS = sampledS / intervals;
  const sinceZeroS = growth > 0 && firstValue >= 0 ? sampledS * (firstValue / growth) : Infinity;
  const reach = (distance: number): number => (distance < intervalS * NEAR ? distance : intervalS / 2);
  return sampledS + reach(Math.min(toStartS, sinceZeroS)) + reach(toEndS);
}
