/**
 * Owns the metrics of a process: a fold over trace events, and how it is read. Does not own the table of metrics (`metric-names.ts`) nor what each event counts for (`observe.ts`).
 *
 * Invariants
 * 1. The values come only from events and from the host; there is no clock.
 * 2. Every series of a registered tool exists from the start, at 0: a counter that begins at 1 hides its first increase.
 * 3. Bounded by `maxTools`, closed sets and limits, for any events.
 */
import { checkEvent } from '../../engine/trace/check-event.ts';
import { suggest } from '../../engine/plain/suggest.ts';
import { checkRule, checkFields, listOf, refuse, type Fields } from '../../engine/settings/check.ts';
import { count } from '../../engine/settings/fields.ts';
import type { CircuitState } from '../../engine/breaker/types.ts';
import type { TraceEvent } from '../../engine/trace/events.ts';
import { commonEventsOf } from './common-events.ts';
import type { HistogramSeries, MetricFamily, NumberSeries } from './families.ts';
import { metricDefinitions, type MetricKey } from './metric-names.ts';
import { defaultBuckets } from './metric-values.ts';
import { type Folded, observe } from './observe.ts';
import { OpenCalls } from './open-calls.ts';
import { createOrigin, type TraceContext } from './origin.ts';
import { type ActiveReading, type MetricSample, type ReadSample, samplesNamed, type SampleSource } from './samples.ts';
import type { HistogramSet, NumberSet } from './series.ts';
import { createProcessSeries, createToolSeries, createToolSet, type ProcessSeries } from './series-sets.ts';
import type { ToolMetricKey } from './tool-metric-names.ts';
import { type KnownTool, ToolNames } from './tool-names.ts';

/** Values that are not in the events. A missing value has no series. */
export interface GivenMetrics {
  /** Version of the host program, the label of `holdfast_build_info`. */
  readonly version?: string;
  /** Events that the store lost since the start. */
  readonly traceDropped?: number;
  /** Number of firing alerts by the name of their rule. */
  readonly alertsFiring?: Readonly<Record<string, number>>;
  /** Returns how long a server's Retry-After still holds the calls of a tool, in milliseconds: `heldMs` of its health. Asked about each known tool. */
  readonly heldMs?: (toolName: string) => number | undefined;
}

/** Options of `createMetrics`. */
export interface MetricsOptions {
  /** Registered tools: their series exist from the start, and other tools count as `unknown`. @default tools are added when they first run */
  readonly tools?: readonly string[];
  /** Maximum number of tools; further ones count as `other`. @default 100 */
  readonly maxTools?: number;
  /** Upper edges of duration buckets, in seconds, ascending. @default 0.005 to 120, with an edge at 5 */
  readonly buckets?: readonly number[];
  /** Returns values that are not in the events: version, lost events, firing alerts, holds. Called at every read. @default none */
  readonly given?: () => GivenMetrics;
  /** Returns the trace and span of an event; called for each observed duration. @default exemplars have only turn and call */
  readonly traceContext?: (event: TraceEvent) => TraceContext | undefined;
}

/** The metrics of a process: a fold over trace events that can be read as families or samples. */
export interface Metrics {
  /** Counts one event. */
  observe(event: TraceEvent): void;
  /** Sets the registered tools; earlier ones keep their series until `maxTools` needs the space. */
  setTools(names: readonly string[]): void;
  /** Registers one more tool. */
  addTool(name: string): void;
  /** Sets the state of a circuit that was not closed before the first event, such as after a restart. */
  setCircuit(name: string, state: CircuitState): void;
  /** Returns all families, in the order of the table. */
  snapshot(): readonly MetricFamily[];
  /** Returns a family with all its series, by its key in `metricDefinitions`. */
  family(key: MetricKey): MetricFamily;
  /** Reads the series of a family one by one: with thousands of tools, all at once take a while. */
  eachSeries(key: MetricKey): Iterable<NumberSeries | HistogramSeries>;
  /**
   * Returns all samples of one name as a query sees them: `holdfast_tool_calls_total`, or a histogram's `…_bucket` (with `le`), `…_sum` or `…_count`.
   * Empty for an unknown name.
   */
  samples(name: string): readonly MetricSample[];
  /** Begins a reading without the tools that never ran, of which there may be thousands: what alerts are evaluated over. */
  readActive(): ActiveReading;
}

/** Maximum number of concurrent calls that wait, retry or use an alternative, whose state has to be tracked. */
const maxOpenCalls = 10_000;

const nameField = 'name of a tool';
const namesRule = listOf('string', 'an array of tool names');
const circuitStates = ['closed', 'open', 'half_open'] satisfies readonly CircuitState[];

const metricsFields: Fields = {
  tools: namesRule,
  maxTools: count,
  buckets: (value, field) => {
    const edges: readonly unknown[] = Array.isArray(value) ? value : [];
    const ascending = edges.every((edge, index) => typeof edge === 'number' && edge > Number(edges[index - 1] ?? 0) && edge < Infinity);
    if (edges.length === 0 || !ascending) refuse(field, value, 'upper edges in seconds, above 0 and ascending', 'object');
  },
  given: 'function',
  traceContext: 'function',
};

/** Creates the metrics of a process, with the series of registered tools at 0. @throws TypeError | RangeError for invalid options */
export function createMetrics(options: MetricsOptions = {}): Metrics {
  checkFields(metricsFields, options, 'createMetrics', suggest);
  const { tools: registered, maxTools = 100, buckets = defaultBuckets, given = () => ({}), traceContext } = options;
  const onDropped = (limit: string): void => process.seriesDropped.add(limit);
  const process = createProcessSeries(buckets, onDropped);
  const ofTools = { buckets, onDropped };
  const tools = new ToolNames({ maxTools, create: (tool) => createToolSeries(tool, ofTools), onDropped });
  const calls = new OpenCalls(maxOpenCalls, () => onDropped('open_calls'));
  const folded: Folded = { common: commonEventsOf(process), process, tools, calls, originOf: createOrigin(traceContext) };
  if (registered) tools.register(registered);

  const setOf = ({ name, series }: KnownTool, key: ToolMetricKey): NumberSet | HistogramSet =>
    series?.[key] ?? createToolSet(key, name, ofTools);
  function* setsOf(key: MetricKey): Generator<NumberSet | HistogramSet> {
    if (key in process) return yield process[key as keyof ProcessSeries];
    // Tools may come and go between two steps.
    const all = [...tools.all()];
    for (const tool of all) yield setOf(tool, key as ToolMetricKey);
  }
  function* eachSeries(key: MetricKey): Generator<NumberSeries | HistogramSeries> {
    for (const set of setsOf(key)) yield* set.read();
    yield* givenSeries(key, given, tools.all());
  }
  const family = (key: MetricKey): MetricFamily => ({ ...metricDefinitions[key], series: [...eachSeries(key)] }) as MetricFamily;
  const givenOf = (key: MetricKey): SampleSource => ({
    collect: (samples, name) => void samples.push(...givenSeries(key, given, tools.all()).map((series) => ({ name, ...series }))),
  });
  const readActive = (): ActiveReading => {
    const number = ++tools.reading;
    const active = tools.active();
    const samples = (name: string): readonly ReadSample[] =>
      samplesNamed(name, (key, collect) => {
        if (key in process) collect(process[key as keyof ProcessSeries]);
        else for (const tool of active) collect(setOf(tool, key as ToolMetricKey), tool.bornAfter);
        collect(givenOf(key));
      });
    return { number, samples };
  };
  return {
    ...writersOf(folded),
    family(key) {
      checkRule(Object.keys(metricDefinitions), key, 'family: key', suggest);
      return family(key);
    },
    eachSeries(key) {
      checkRule(Object.keys(metricDefinitions), key, 'eachSeries: key', suggest);
      return eachSeries(key);
    },
    snapshot: () => (Object.keys(metricDefinitions) as MetricKey[]).map(family),
    samples: (name) => samplesNamed(name, (key, collect) => [...setsOf(key), givenOf(key)].forEach((set) => collect(set))),
    readActive,
  };
}

/** What changes the metrics, with the check of what it is given. */
function writersOf(folded: Folded): Pick<Metrics, 'observe' | 'setTools' | 'addTool' | 'setCircuit'> {
  return {
    observe(event) {
      checkEvent(event, 'observe');
      observe(folded, event);
    },
    setTools(names) {
      checkRule(namesRule, names, 'setTools');
      folded.tools.register(names);
    },
    addTool(name) {
      checkRule('string', name, nameField);
      folded.tools.add(name);
    },
    setCircuit(name, state) {
      checkRule('string', name, nameField);
      checkRule(circuitStates, state, 'setCircuit: state', suggest);
      folded.tools.of(name).circuitState.choose(state);
    },
  };
}

function givenSeries(key: MetricKey, given: () => GivenMetrics, tools: Iterable<KnownTool>): readonly NumberSeries[] {
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
    case 'toolHeld': {
      const { heldMs } = given();
      return heldMs ? Array.from(tools, ({ name }) => ({ labels: { tool: name }, value: (heldMs(name) ?? 0) / 1_000 })) : [];
    }
    default:
      return [];
  }
}
