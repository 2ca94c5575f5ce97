/** Owns histograms as plain, immutable data. */

/** Counts of observed values by bucket. */
export interface Histogram {
  /** Upper bounds, ascending. There is one more count than bounds, for values above the last. */
  readonly bounds: readonly number[];
  /** Observed values by bucket, not cumulative. */
  readonly counts: readonly number[];
  /** Number of observed values. */
  readonly count: number;
  /** Sum of the observed values. */
  readonly sum: number;
}

export function emptyHistogram(bounds: readonly number[]): Histogram {
  return { bounds, counts: Array.from({ length: bounds.length + 1 }, () => 0), count: 0, sum: 0 };
}

export function observe({ bounds, counts, count, sum }: Histogram, value: number): Histogram {
  const found = bounds.findIndex((bound) => value <= bound);
  const at = found === -1 ? bounds.length : found;
  return { bounds, counts: counts.map((existing, index) => (index === at ? existing + 1 : existing)), count: count + 1, sum: sum + value };
}
