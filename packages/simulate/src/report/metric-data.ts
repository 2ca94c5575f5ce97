/** Owns the names of a simulation's figures in data: the output of `holdfast simulate -o json`, and of whatever else prints the same. */
import type { Comparison } from '../run/compare.ts';
import type { Summary } from '../run/summary.ts';
import type { RunMetrics } from '../metrics/metrics.ts';

/** What a figure counts in. */
export type MetricUnit = 'fraction' | 'milliseconds' | 'seconds' | 'number';

/** One figure, and its name in data. */
export interface LabMetric {
  /** Name in data. */
  readonly key: string;
  /** Name in a `Summary`. */
  readonly property: Exclude<keyof Summary, 'notes'>;
  /** What it counts in. */
  readonly unit: MetricUnit;
}
const metric = (key: string, property: LabMetric['property'], unit: MetricUnit): LabMetric => ({ key, property, unit });

/** Every figure of a run, in the order in which they are printed. */
export const labMetrics: readonly LabMetric[] = [
  metric('success', 'success', 'fraction'),
  metric('success_during', 'during', 'fraction'),
  metric('success_after_30s', 'after30s', 'fraction'),
  metric('call_success', 'callSuccess', 'fraction'),
  metric('mean_ms', 'meanMs', 'milliseconds'),
  metric('p50_ms', 'p50Ms', 'milliseconds'),
  metric('p95_ms', 'p95Ms', 'milliseconds'),
  metric('p99_ms', 'p99Ms', 'milliseconds'),
  metric('failed_wait_ms', 'failedWaitMs', 'milliseconds'),
  metric('requests_per_call', 'requestsPerCall', 'number'),
  metric('requests_per_call_during', 'requestsPerCallDuring', 'number'),
  metric('peak_per_second', 'peakPerSecond', 'number'),
  metric('recovery_s', 'recoveryS', 'seconds'),
  metric('duplicates', 'duplicates', 'number'),
  metric('partial_turns', 'partialTurns', 'number'),
  metric('wasted_requests', 'wastedRequests', 'number'),
  metric('turns', 'turns', 'number'),
  metric('calls', 'calls', 'number'),
  metric('requests', 'requests', 'number'),
];

/** The figures of a run or of a summary. */
export type MetricValues = { readonly [Property in LabMetric['property']]: number | 'never' | null };

/** Every metric by its key. */
export const metricData = (values: MetricValues): Readonly<Record<string, number | 'never' | null>> =>
  Object.fromEntries(labMetrics.map(({ key, property }) => [key, values[property]]));

/** A comparison as data, in snake_case, with the runs that it is the mean of. The same seeds give the same bytes. */
export function comparisonData({ world, contender, summary, runs }: Comparison, withSeries = false): Readonly<Record<string, unknown>> {
  return {
    world,
    policy: contender,
    seeds: runs.map(({ seed }) => seed),
    ...metricData(summary),
    notes: summary.notes,
    runs: runs.map((run) => runData(run, withSeries)),
  };
}

function runData(run: RunMetrics, withSeries: boolean): unknown {
  const { begun, success, latencyMs, requests, waiting } = run.series;
  const faults = run.faults.map(({ kind, of, fromMs, untilMs }) => ({ kind, of, from_ms: fromMs, until_ms: untilMs }));
  const series = { begun, success, latency_ms: latencyMs, requests, waiting };
  return { seed: run.seed, ...metricData(run), faults, ...(withSeries ? { series } : {}) };
}
