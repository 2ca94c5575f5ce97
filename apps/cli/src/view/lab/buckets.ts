/** Owns the folding of many runs, second by second, into as many columns as a screen has. */
import type { RunMetrics } from '@holdfast/simulate';

export type ChartFigure = 'success' | 'latency' | 'requests' | 'waiting';

/** `undefined`: nothing happened then. */
export type Buckets = readonly (number | undefined)[];

/** Means per column: of turns for what turns have, of seconds for the rest. */
export function bucketsOf(runs: readonly RunMetrics[], figure: ChartFigure, seconds: number, columns: number): Buckets {
  const sums = Array.from({ length: columns }, () => ({ sum: 0, weight: 0 }));
  for (const { series } of runs) {
    for (let second = 0; second < seconds; second += 1) {
      const value = valueAt(series, figure, second);
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

function valueAt(series: RunMetrics['series'], figure: ChartFigure, second: number): Weighted | undefined {
  const begun = series.begun[second] ?? 0;
  const success = series.success[second] ?? undefined;
  if (figure === 'success') return success === undefined ? undefined : { mean: success, weight: begun };
  if (figure === 'latency') {
    const latency = series.latencyMs[second] ?? undefined;
    return latency === undefined ? undefined : { mean: latency, weight: begun * (success ?? 0) };
  }
  return { mean: series[figure][second] ?? 0, weight: 1 };
}

/** The share of the runs in which a fault lasted then. */
export function faultShares(runs: readonly RunMetrics[], seconds: number, columns: number): readonly number[] {
  return Array.from({ length: columns }, (_, column) => {
    const from = (column * seconds * 1000) / columns;
    const until = ((column + 1) * seconds * 1000) / columns;
    const hit = runs.filter(({ faults }) => faults.some((fault) => fault.fromMs < until && fault.untilMs > from));
    return runs.length === 0 ? 0 : hit.length / runs.length;
  });
}
