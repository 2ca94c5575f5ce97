/** Owns the creation of all families of one tool or of the process. */
import type { MetricDefinition } from './families.ts';
import { turnCallBuckets } from './metric-values.ts';
import { type ProcessMetricKey, processMetricDefinitions } from './process-metric-names.ts';
import { HistogramSet, NumberSet, type OnDropped } from './series.ts';
import { type ToolMetricKey, toolMetricDefinitions } from './tool-metric-names.ts';

type Histograms = 'callDuration' | 'attemptDuration' | 'turnDuration' | 'turnCalls' | 'validationDelay' | 'validationAttempts';
type Sets<Key extends string> = { readonly [K in Key]: K extends Histograms ? HistogramSet : NumberSet };

export type ToolSeries = Sets<ToolMetricKey>;
export type ProcessSeries = Sets<ProcessMetricKey>;

export function createToolSeries(tool: string, buckets: readonly number[], onDropped: OnDropped): ToolSeries {
  const series = create(toolMetricDefinitions, tool, () => buckets, onDropped);
  series.circuitState.choose('closed');
  return series;
}

export const createProcessSeries = (buckets: readonly number[], onDropped: OnDropped): ProcessSeries =>
  create(processMetricDefinitions, undefined, ({ unit }) => (unit === 'seconds' ? buckets : turnCallBuckets), onDropped);

function create<Key extends string>(
  definitions: Readonly<Record<Key, MetricDefinition>>,
  tool: string | undefined,
  bucketsOf: (definition: MetricDefinition) => readonly number[],
  onDropped: OnDropped,
): Sets<Key> {
  const sets = Object.entries<MetricDefinition>(definitions).map(([key, definition]) => [
    key,
    definition.type === 'histogram'
      ? new HistogramSet(definition, tool, bucketsOf(definition))
      : new NumberSet(definition, tool, onDropped),
  ]);
  return Object.fromEntries(sets) as Sets<Key>;
}
