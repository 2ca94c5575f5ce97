/** Owns the words of metrics: what a family is, and what is read of it. Does not own which there are (`metric-names.ts`). */
import type { TraceEventType } from '../../engine/trace/events.ts';

/** What is fixed about a family of metrics. */
export interface MetricDefinition {
  /** As it stands in a query: `holdfast_tool_calls_total`. A histogram's samples add `_bucket`, `_sum` and `_count`. */
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly unit?: 'seconds';
  readonly help: string;
  readonly labels: readonly string[];
  /** The events it is folded from; none: the host tells it. */
  readonly events: readonly TraceEventType[];
  /** Values of the labels (behind `tool`, where there is one) that are there from the start, at 0. */
  readonly zeros: readonly (readonly string[])[];
  /** A label that is open: how many values beyond `zeros` it may have (for each tool); what comes after counts as `other`. @default all are taken */
  readonly limit?: { readonly label: string; readonly values: number };
}

export type Labels = Readonly<Record<string, string>>;

/** One number of a family. */
export interface NumberSeries {
  readonly labels: Labels;
  readonly value: number;
}

/** The latest observation that fell into a bucket, and where to look at it. */
export interface Exemplar {
  /** `turn_id`, `call_id` where it has one, `trace_id` and `span_id` where the host gave them. */
  readonly labels: Labels;
  readonly value: number;
  /** ISO 8601, UTC. */
  readonly timestamp: string;
}

export interface HistogramBucket {
  /** The upper edge, which belongs to it; Infinity for the last. */
  readonly le: number;
  /** Observations up to the edge, those of lower buckets included. */
  readonly count: number;
  readonly exemplar?: Exemplar;
}

/** One histogram of a family. */
export interface HistogramSeries {
  readonly labels: Labels;
  readonly count: number;
  readonly sum: number;
  readonly buckets: readonly HistogramBucket[];
}

export interface NumberFamily extends MetricDefinition {
  readonly type: 'counter' | 'gauge';
  readonly series: readonly NumberSeries[];
}

export interface HistogramFamily extends MetricDefinition {
  readonly type: 'histogram';
  readonly series: readonly HistogramSeries[];
}

export type MetricFamily = NumberFamily | HistogramFamily;
