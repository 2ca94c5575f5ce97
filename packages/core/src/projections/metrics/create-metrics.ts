/**
 * Owns the metrics of a process: a fold over trace events, and how it is read. Does not own the table (`metric-names.ts`) nor what counts (`observe.ts`).
 *
 * Invariants
 * 1. Nothing but events and what the host gives is in the numbers; there is no clock.
 * 2. Every series of a registered tool is there from the start, at 0: a counter that begins at 1 hides its first increase.
 * 3. Bounded by `maxTools`, closed sets and limits, whatever the events say.
 */
import type { CircuitState } from '../../engine/breaker/types.ts';
import type { TraceEvent } from '../../engine/trace/events.ts';
import { commonEventsOf } from './common-events.ts';
import type { HistogramSeries, MetricFamily, NumberSeries } from './families.ts';
import { metricDefinitions, type MetricKey } from './metric-names.ts';
import { defaultBuckets } from './metric-values.ts';
import { type Folded, observe } from './observe.ts';
import { OpenCalls } from './open-calls.ts';
import { createOrigin, type TraceContext } from './origin.ts';
import { type MetricSample, samplesNamed, type SampleSource } from './samples.ts';
import type { HistogramSet, NumberSet } from './series.ts';
import { createProcessSeries, createToolSeries, type ProcessSeries, type ToolSeries } from './series-sets.ts';
import { ToolNames } from './tool-names.ts';

/** What events cannot tell. What is left out has no series. */
export interface GivenMetrics {
  /** Version of the host program, the label of `holdfast_build_info`. */
  readonly version?: string;
  /** Events that the store could not keep, since the start. */
  readonly traceDropped?: number;
  /** Alerts that fire now, by the name of their rule. */
  readonly alertsFiring?: Readonly<Record<string, number>>;
}

/** Options of `createMetrics`. */
export interface MetricsOptions {
  /** Registered tools: their series are there from the start, and others count as `unknown`. @default tools are learnt as they are run */
  readonly tools?: readonly string[];
  /** Tools beyond it count as `other`. @default 100 */
  readonly maxTools?: number;
  /** Upper edges of duration buckets, in seconds, ascending. @default 0.005 to 120, with an edge at 5 */
  readonly buckets?: readonly number[];
  /** What events cannot tell: version, lost events, firing alerts. Asked at each reading. @default none */
  readonly given?: () => GivenMetrics;
  /** Asked for each observed duration. @default exemplars carry turn and call alone */
  readonly traceContext?: (event: TraceEvent) => TraceContext | undefined;
}

/** The metrics of a process: a fold over trace events that can be read as families or samples. */
export interface Metrics {
  /** Counts one event. */
  observe(event: TraceEvent): void;
  /** Registers tools; those no longer named keep their numbers while there is room. */
  setTools(names: readonly string[]): void;
  /** Registers one more tool. */
  addTool(name: string): void;
  /** Says how a circuit is that was not closed before the first event, such as after a restart. */
  setCircuit(name: string, state: CircuitState): void;
  /** All families, in the order of the table. */
  snapshot(): readonly MetricFamily[];
  /** One family with all its series, by its key in `metricDefinitions`. */
  family(key: MetricKey): MetricFamily;
  /**
   * All samples of one name as a query sees them: `holdfast_tool_calls_total`, or a histogram's `…_bucket` (with `le`), `…_sum` or `…_count`.
   * Empty for a name that is none.
   */
  samples(name: string): readonly MetricSample[];
}

/** Calls that are waiting or repeated at the same moment, for which more than a count is kept. */
const mostOpenCalls = 10_000;

/** Creates the metrics of a process, with the series of registered tools at 0. @throws TypeError | RangeError for options that make no sense. */
export function createMetrics(options: MetricsOptions = {}): Metrics {
  const { tools: registered, maxTools = 100, buckets = defaultBuckets, given = () => ({}), traceContext } = options;
  checkOptions(maxTools, buckets);
  const onDropped = (limit: string): void => process.seriesDropped.add(limit);
  const process = createProcessSeries(buckets, onDropped);
  const tools = new ToolNames({ maxTools, create: (tool) => createToolSeries(tool, buckets, onDropped), onDropped });
  const calls = new OpenCalls(mostOpenCalls, () => onDropped('open_calls'));
  const folded: Folded = { common: commonEventsOf(process), process, tools, calls, originOf: createOrigin(traceContext) };
  if (registered) tools.register(registered);

  const setsOf = (key: MetricKey): readonly (NumberSet | HistogramSet)[] =>
    key in process ? [process[key as keyof ProcessSeries]] : Array.from(tools.all(), (tool) => tool[key as keyof ToolSeries]);
  const family = (key: MetricKey): MetricFamily => {
    const series = setsOf(key).flatMap((set): readonly (NumberSeries | HistogramSeries)[] => set.read());
    return { ...metricDefinitions[key], series: [...series, ...givenSeries(key, given)] } as MetricFamily;
  };
  const sourcesOf = (key: MetricKey): readonly SampleSource[] => [
    ...setsOf(key),
    { tell: (samples, name) => void samples.push(...givenSeries(key, given).map((series) => ({ name, ...series }))) },
  ];
  return {
    observe: (event) => observe(folded, event),
    setTools: (names) => tools.register(names),
    addTool: (name) => tools.add(name),
    setCircuit: (name, state) => tools.of(name).circuitState.choose(state),
    family,
    snapshot: () => (Object.keys(metricDefinitions) as MetricKey[]).map(family),
    samples: (name) => samplesNamed(name, sourcesOf),
  };
}

function givenSeries(key: MetricKey, given: () => GivenMetrics): readonly NumberSeries[] {
  switch (key) {
    case 'buildInfo': {
      const { version } = given();
      return version === undefined ? [] : [{ labels: { version }, value: 1 }];
    }
    case 'traceDropped': {
      const { traceDropped } = given();
      return traceDropped === undefined ? [] : [{ labels: {}, value: traceDropped }];
    }
    case 'alertsFiring':
      return Object.entries(given().alertsFiring ?? {}).map(([alertname, value]) => ({ labels: { alertname }, value }));
    default:
      return [];
  }
}

function checkOptions(maxTools: number, buckets: readonly number[]): void {
  if (!Number.isInteger(maxTools) || maxTools < 1)
    throw new RangeError(`createMetrics: maxTools is ${maxTools}; make it a whole number from 1 up`);
  const ascending = buckets.every((edge, index) => edge > (buckets[index - 1] ?? 0) && edge < Number.POSITIVE_INFINITY);
  if (buckets.length === 0 || !ascending)
    throw new RangeError(`createMetrics: buckets is [${buckets.join(', ')}]; give upper edges in seconds, above 0 and ascending`);
}
