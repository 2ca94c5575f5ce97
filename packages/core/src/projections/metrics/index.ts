/** The entry `@holdfast/core/metrics`: all metrics of a process, folded from the trace. */
export type { LatencySketch, SketchContent } from './sketch.ts';
export { createMetrics, type GivenMetrics, type Metrics, type MetricsOptions } from './create-metrics.ts';
export type { ActiveReading, MetricSample, ReadSample } from './samples.ts';
export type { TraceContext } from './origin.ts';
export type {
  Exemplar,
  HistogramBucket,
  HistogramFamily,
  HistogramSeries,
  Labels,
  MetricDefinition,
  MetricFamily,
  NumberFamily,
  NumberSeries,
} from './families.ts';
export { metricDefinitions, type MetricKey } from './metric-names.ts';
export type { ProcessMetricKey } from './process-metric-names.ts';
export type { ToolMetricKey } from './tool-metric-names.ts';
export type { CallOutcome, RetryDenial } from './metric-values.ts';
