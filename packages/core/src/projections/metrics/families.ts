/** Owns the types of metrics: families, their definitions and their series. Does not own which metrics exist (`metric-names.ts`). */
import type { TraceEventType } from '../../engine/trace/events.ts';

/** Definition of a family of metrics. */
export interface MetricDefinition {
  /** Name as in a query: `holdfast_tool_calls_total`. A histogram's samples add `_bucket`, `_sum` and `_count`. */
  readonly name: string;
  /** Prometheus type of the family. */
  readonly type: 'counter' | 'gauge' | 'histogram';
  /** Unit of the values; absent for plain numbers. */
  readonly unit?: 'seconds';
  /** One sentence that describes what is measured. */
  readonly help: string;
  /** Names of the labels, in their order. */
  readonly labels: readonly string[];
  /** The events that it is computed from; empty when the host provides it. */
  readonly events: readonly TraceEventType[];
  /** Label values (after `tool`, if it is a label) whose series exist from the start, at 0. */
  readonly zeros: readonly (readonly string[])[];
  /** A label with an open set of values: how many values beyond `zeros` it may have (per tool); further ones count as `other`. @default no limited label */
  readonly limit?: { readonly label: string; readonly values: number };
}

/** Labels of a series: names and their values. */
export type Labels = Readonly<Record<string, string>>;

/** One number of a family. */
export interface NumberSeries {
  /** Labels of the series. */
  readonly labels: Labels;
  /** The value when it was read. */
  readonly value: number;
}

/** The latest observation in a bucket, with the ids that lead to its trace. */
export interface Exemplar {
  /** `turn_id`; `call_id` if it has one; `trace_id` and `span_id` if the host provides them. */
  readonly labels: Labels;
  /** The observed value. */
  readonly value: number;
  /** ISO 8601, UTC. */
  readonly timestamp: string;
}

/** One bucket of a histogram. */
export interface HistogramBucket {
  /** The upper edge, inclusive; Infinity for the last bucket. */
  readonly le: number;
  /** Observations up to the edge, including those of lower buckets. */
  readonly count: number;
  /** The latest observation in this bucket, lower ones excluded; absent while there is none. */
  readonly exemplar?: Exemplar;
}

/** One histogram of a family. */
export interface HistogramSeries {
  /** Labels of the histogram, without `le`. */
  readonly labels: Labels;
  /** Number of observations. */
  readonly count: number;
  /** Sum of the observed values. */
  readonly sum: number;
  /** Buckets by upper edge, ascending. */
  readonly buckets: readonly HistogramBucket[];
}

/** A family of counters or gauges. */
export interface NumberFamily extends MetricDefinition {
  /** Discriminates the union of metric families. */
  readonly type: 'counter' | 'gauge';
  /** One number for each combination of labels. */
  readonly series: readonly NumberSeries[];
}

/** A family of histograms. */
export interface HistogramFamily extends MetricDefinition {
  /** Discriminates the union of metric families. */
  readonly type: 'histogram';
  /** One histogram for each combination of labels. */
  readonly series: readonly HistogramSeries[];
}

/** A family of metrics with its series. */
export type MetricFamily = NumberFamily | HistogramFamily;
