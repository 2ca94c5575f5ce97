/** Owns the values of a chart: the mean over the runs of each policy, second by second. */
import type { Comparison, RunSeries } from '@holdfast/simulate';

export type SeriesName = 'success' | 'requests';

/** Success is weighted by the turns that began; seconds without any have no value. */
export function meanSeries({ runs }: Comparison, name: SeriesName, seconds: number): readonly (number | null)[] {
  return Array.from({ length: seconds }, (_, second) => {
    const points = runs.flatMap(({ series }) => pointOf(series, name, second));
    const weight = points.reduce((sum, point) => sum + point.weight, 0);
    return weight === 0 ? null : points.reduce((sum, point) => sum + point.value * point.weight, 0) / weight;
  });
}

interface Point {
  readonly value: number;
  readonly weight: number;
}

function pointOf(series: RunSeries, name: SeriesName, second: number): readonly Point[] {
  if (name === 'requests') return [{ value: series.requests[second] ?? 0, weight: 1 }];
  const value = series.success[second] ?? null;
  return value === null ? [] : [{ value, weight: series.begun[second] ?? 0 }];
}

/** The spans in which a fault was active in a run, in seconds. */
export const faultSpans = ({ runs }: Comparison): readonly (readonly [from: number, until: number])[] =>
  runs.flatMap(({ faults }) => faults.map(({ fromMs, untilMs }) => [fromMs / 1000, untilMs / 1000] as const));
