/** Aggregates the per-second series of many runs into the columns of a chart. */
import type { RunMetrics } from '@holdfast/simulate';

export type ChartMetric = 'success' | 'latency' | 'requests' | 'waiting';

/** `undefined`: no data. */
export type Buckets = readonly (number | undefined)[];

/** The mean per column, weighted by turns for success and latency, by seconds for the rest. */
export function bucketsOf(runs: readonly RunMetrics[], metric: ChartMetric, seconds: number, columns: number): Buckets {
  const sums = Array.from({ length: columns }, () => ({ sum: 0, weight: 0 }));
  for (const { series } of runs) {
    for (let second = 0; second < seconds; second += 1) {
      const value = valueAt(series, metric, second);
      const bucket = sums[Math.floor((second * columns) / seconds)];
      if (!bucket || value === undefined) continue;
      bucket.sum += value.mean * value.weight;
      bucket.weight += value.weight;
    }
  }
  return sums.map(({ sum, weight }) => (weight === 0 ? undefined : sum / weight));
}

interface Weighted {
  readonly mean: number;
  readonly weight: number;
}

function valueAt(series: RunMetrics['series'], metric: ChartMetric, second: number): Weighted | undefined {
  const begun = series.begun[second] ?? 0;
  const success = series.success[second] ?? undefined;
  if (metric === 'success') return success === undefined ? undefined : { mean: success, weight: begun };
  if (metric === 'latency') {
    const latency = series.latencyMs[second] ?? undefined;
    return latency === undefined ? undefined : { mean: latency, weight: begun * (success ?? 0) };
  }
  return { mean: series[metric][second] ?? 0, weight: 1 };
}

/** Per column, the fraction of runs in which a fault was active. */
export function faultShares(runs: readonly RunMetrics[], seconds: number, columns: number): readonly number[] {
  return Array.from({ length: columns }, (_, column) => {
    const from = (column * seconds * 1000) / columns;
    const until = ((column + 1) * seconds * 1000) / columns;
    const hit = runs.filter(({ faults }) => faults.some((fault) => fault.fromMs < until && fault.untilMs > from));
    return runs.length === 0 ? 0 : hit.length / runs.length;
  });
}
