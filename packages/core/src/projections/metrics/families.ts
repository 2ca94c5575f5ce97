/** Owns the words of metrics: what a family is, and what is read of it. Does not own which there are (`metric-names.ts`). */
import type { TraceEventType } from '../../engine/trace/events.ts';

/** What is fixed about a family of metrics. */
export interface MetricDefinition {
  /** As it stands in a query: `holdfast_tool_calls_total`. A histogram's samples add `_bucket`, `_sum` and `_count`. */
  readonly name: string;
  /** How Prometheus treats the family. */
  readonly type: 'counter' | 'gauge' | 'histogram';
  /** Unit of the values; absent for plain numbers. */
  readonly unit?: 'seconds';
  /** One sentence that says what is measured. */
  readonly help: string;
  /** Names of the labels, in their order. */
  readonly labels: readonly string[];
  /** The events it is folded from; none: the host tells it. */
  readonly events: readonly TraceEventType[];
  /** Values of the labels (behind `tool`, where there is one) that are there from the start, at 0. */
  readonly zeros: readonly (readonly string[])[];
  /** A label that is open: how many values beyond `zeros` it may have (for each tool); what comes after counts as `other`. @default all are taken */
  readonly limit?: { readonly label: string; readonly values: number };
}

/** Labels of a series: names and their values. */
export type Labels = Readonly<Record<string, string>>;

/** One number of a family. */
export interface NumberSeries {
  /** Labels of the number. */
  readonly labels: Labels;
  /** The value when it was read. */
  readonly value: number;
}

/** The latest observation that fell into a bucket, and where to look at it. */
export interface Exemplar {
  /** `turn_id`, `call_id` where it has one, `trace_id` and `span_id` where the host gave them. */
  readonly labels: Labels;
  /** The observed value. */
  readonly value: number;
  /** ISO 8601, UTC. */
  readonly timestamp: string;
}

/** One bucket of a histogram. */
export interface HistogramBucket {
  /** The upper edge, which belongs to it; Infinity for the last. */
  readonly le: number;
  /** Observations up to the edge, those of lower buckets included. */
  readonly count: number;
  /** The latest observation in this bucket alone; absent while there is none. */
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
