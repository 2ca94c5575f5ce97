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

/** Settings of the families of one tool. */
export interface ToolSeriesOptions {
  /** Upper edges of histograms, in seconds. */
  readonly buckets: readonly number[];
  readonly onDropped: OnDropped;
}

export const createToolSeries = (tool: string, options: ToolSeriesOptions): ToolSeries =>
  eachOf(toolMetricDefinitions, (_definition, key) => createToolSet(key, tool, options)) as ToolSeries;

/** One family of a tool. */
export function createToolSet(key: ToolMetricKey, tool: string, { buckets, onDropped }: ToolSeriesOptions): NumberSet | HistogramSet {
  const set = createSet(toolMetricDefinitions[key], tool, buckets, onDropped);
  if (key === 'circuitState') (set as NumberSet).choose('closed');
  return set;
}

export const createProcessSeries = (buckets: readonly number[], onDropped: OnDropped): ProcessSeries =>
  eachOf(processMetricDefinitions, (definition) =>
    createSet(definition, undefined, definition.unit === 'seconds' ? buckets : turnCallBuckets, onDropped),
  ) as ProcessSeries;

const eachOf = <Key extends string, Value>(
  definitions: Readonly<Record<Key, MetricDefinition>>,
  create: (definition: MetricDefinition, key: Key) => Value,
): Readonly<Record<Key, Value>> =>
  Object.fromEntries((Object.keys(definitions) as Key[]).map((key) => [key, create(definitions[key], key)])) as Record<Key, Value>;

const createSet = (
  definition: MetricDefinition,
  tool: string | undefined,
  buckets: readonly number[],
  onDropped: OnDropped,
): NumberSet | HistogramSet =>
  definition.type === 'histogram' ? new HistogramSet(definition, tool, buckets) : new NumberSet(definition, tool, onDropped);
