/**
 * Owns how much a counter grew within a window, to the bit as Prometheus 2.42 calculates `increase()`.
 *
 * Invariants
 * 1. Both ends of the window belong to it; fewer than two samples in it say nothing (undefined, not 0).
 * 2. A value below the one before it is a restart from 0.
 * 3. The growth between first and last sample is extrapolated to an end of the window that is nearer than 1.1 of the mean distance between samples, else by
 *    half that distance, and never back beyond where the counter was 0.
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
  const growth = grown(values, first, last);
  return (
    growth *
    (extrapolated(
      { sampledS, growth, samples: last - first, begins: values[first] ?? 0 },
      (at(first) - from) / 1000,
      (nowEpochMs - at(last)) / 1000,
    ) /
      sampledS)
  );
}

function grown(values: readonly number[], first: number, last: number): number {
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
  /** Distances between samples. */
  readonly samples: number;
  /** The first value. */
  readonly begins: number;
}

/** The seconds that the growth is taken to have lasted. */
function extrapolated({ sampledS, growth, samples, begins }: Sampled, toStartS: number, toEndS: number): number {
  const distanceS = sampledS / samples;
  const sinceZeroS = growth > 0 && begins >= 0 ? sampledS * (begins / growth) : Infinity;
  const reach = (distance: number): number => (distance < distanceS * NEAR ? distance : distanceS / 2);
  return sampledS + reach(Math.min(toStartS, sinceZeroS)) + reach(toEndS);
}
