/** Owns the metrics of a process: a fold over trace events. */
import type { TraceEvent } from '../trace/events.ts';
import type { Labels, MetricFamily } from './families.ts';
import type { MetricKey } from './metric-names.ts';

/** What events cannot tell. */
export interface GivenMetrics {
  readonly version?: string;
  /** Events that the store could not keep, since the start. */
  readonly traceDropped?: number;
  /** Alerts that fire now, by the name of their rule. */
  readonly alertsFiring?: Readonly<Record<string, number>>;
}

/** What an exemplar leads to, beside its turn and call. */
export interface TraceContext {
  readonly trace_id?: string;
  readonly span_id?: string;
}

export interface MetricsOptions {
  /** Registered tools: their series are there from the start, and others count as `unknown`. @default tools are learnt as they are run */
  readonly tools?: readonly string[];
  /** Tools beyond it count as `other`. @default 100 */
  readonly maxTools?: number;
  /** Upper edges of duration buckets, in seconds, ascending. @default 0.005 to 120, with an edge at 5 */
  readonly buckets?: readonly number[];
  /** Asked at each reading. */
  readonly given?: () => GivenMetrics;
  /** Asked for each observed duration. @default exemplars carry turn and call alone */
  readonly traceContext?: (event: TraceEvent) => TraceContext | undefined;
}

/** One sample, as a query sees it. */
export interface MetricSample {
  readonly labels: Labels;
  readonly value: number;
}

export interface Metrics {
  observe(event: TraceEvent): void;
  /** Registers tools; those no longer named keep their numbers while there is room. */
  setTools(names: readonly string[]): void;
  addTool(name: string): void;
  /** All families, in the order of the table. */
  snapshot(): readonly MetricFamily[];
  family(key: MetricKey): MetricFamily;
  /**
   * All samples of one name as a query sees them: `holdfast_tool_calls_total`, or a histogram's `…_bucket` (with `le`), `…_sum` or `…_count`.
   * Empty for a name that is none.
   */
  samples(name: string): readonly MetricSample[];
}

export type CreateMetrics = (options?: MetricsOptions) => Metrics;
