/**
 * Owns the history, which combines its folds: the past of a gateway, or of any program with a trace. Pure: events in, records out.
 *
 * Invariants
 * 1. Everything is a fold over trace events: the same events always give the same history.
 * 2. Time comes from the events; queries about the recent past take the current time as an argument.
 * 3. Memory is bounded for any events: tools, turns, clusters, and records that wait for `take`.
 */
import { checkEvent } from '../../engine/trace/check-event.ts';
import { checkOptions } from '../../engine/settings/check-options.ts';
import { refuse, type Fields, type Rule } from '../../engine/settings/check.ts';
import { count } from '../../engine/settings/fields.ts';
import type { LatencySketch } from '../metrics/sketch.ts';
import type { TraceEvent } from '../../engine/trace/events.ts';
import type { CellCounts } from './cell.ts';
import { CellFold, type FineCell } from './cell-fold.ts';
import { circuitChanged, failureAppeared } from './changes.ts';
import type { CircuitRule } from './circuit-cause.ts';
import { CircuitFold, type ToolCircuitChange } from './circuit-fold.ts';
import { ClusterFold } from './clusters.ts';
import { Highlights, type SlowCall, type LatestFailure } from './highlights.ts';
import { RecentCalls } from './recent.ts';
import type { ChangeRecord, CircuitSample, ClusterRecord, FailureRecord, TurnRecord } from './records.ts';
import { OpenTurns } from './open-turns.ts';
import { type RecentTurns, TurnFactsFold } from './turn-fold.ts';

/** Options of `createHistory`. */
export interface HistoryOptions {
  /** Settings of a tool's circuit; without them, the samples that opened a circuit by rate cannot all be identified. */
  readonly ruleOf?: (tool: string) => CircuitRule | undefined;
  /** Unknown tools are recorded together as `(unknown)`, since models invent names. @default all are known */
  readonly isKnown?: (tool: string) => boolean;
  /** The first id for circuit changes. @default 1 */
  readonly firstCircuitChange?: number;
  /** The last known change of each circuit. @default all are closed */
  readonly circuits?: Iterable<ToolCircuitChange>;
  /** Known clusters, least recently seen first. */
  readonly clusters?: Iterable<ClusterRecord>;
  /** Limits on memory. */
  readonly limits?: HistoryLimits;
}

/** Limits of a history; beyond them the oldest records are dropped. */
export interface HistoryLimits {
  /** Tools. @default 5000 */
  readonly tools?: number;
  /** Running turns. @default 20000 */
  readonly turns?: number;
  /** Failure clusters. @default 1000 */
  readonly clusters?: number;
  /** Cells that wait for `take`. @default 20000 */
  readonly cells?: number;
  /** Changes that wait for `takeChanges`. @default 1000 */
  readonly changes?: number;
}

/** Records to write. */
export interface HistoryBatch {
  /** What tools did, in cells of one second. */
  readonly cells: readonly FineCell[];
  /** New and changed turns; a later record replaces the earlier one. */
  readonly turns: readonly TurnRecord[];
  /** New changes, and earlier ones that were completed since. */
  readonly circuitChanges: readonly ToolCircuitChange[];
  /** Additions to each cluster since the last `take`; `mergeClusters` adds them up. */
  readonly clusters: readonly ClusterRecord[];
  /** Failures of ended calls, by tool, oldest first. */
  readonly failures: readonly LatestFailure[];
  /** Calls that were among the slowest of their tool when they ended. */
  readonly slowCalls: readonly SlowCall[];
}

/** A fold over trace events: what tools, circuits, turns and failures did. Stores keep the records that `take` returns. */
export interface History {
  /** Counts one event; events of a turn must come in order. */
  observe(event: TraceEvent): void;
  /** Processes an event that another process has counted: counts nothing, and keeps what the rest of its turn needs. */
  recall(event: TraceEvent): void;
  /** Removes and returns the records since the last `take`; cells only when they end by `until`, milliseconds since 1970. @default all */
  take(until?: number): HistoryBatch;
  /** Removes and returns the changes since the last `takeChanges`, oldest first. */
  takeChanges(): readonly ChangeRecord[];
  /** Returns the counts of a tool in the last five minutes; `now` in milliseconds since 1970. */
  countsOf(tool: string, now: number): CellCounts;
  /** Returns the durations of a tool's calls in the last five minutes, in milliseconds; `now` in milliseconds since 1970. */
  latenciesOf(tool: string, now: number): LatencySketch;
  /** Returns the counts of the last `count` steps of five seconds, oldest first. */
  lastSteps(tool: string, now: number, count: number): readonly (CellCounts | undefined)[];
  /** Returns the latest failed attempt of a tool since the start; `undefined` when there was none. */
  lastFailure(tool: string): FailureRecord | undefined;
  /** Returns the latest outcomes that a circuit has recorded, oldest first. */
  samplesOf(tool: string): readonly CircuitSample[];
  /** Returns all failure clusters in memory. */
  clusters(): readonly ClusterRecord[];
  /** Returns the failure cluster of a signature; `undefined` when it is not in memory. */
  cluster(signature: string): ClusterRecord | undefined;
  /** Returns a turn that is running or ended recently; `undefined` for others. */
  turn(turnId: string): TurnRecord | undefined;
  /** Whether a turn is running or ended recently. */
  knowsTurn(turnId: string): boolean;
  /** Returns the number of turns that ended in the last five minutes. */
  recentTurns(now: number): RecentTurns;
}

/** The name under which unknown tools are recorded. */
const unknownTool = '(unknown)';
const clustersPerTake = 200;
/** Returned when nothing has changed. */
const none: readonly never[] = [];

const iterable: Rule = (value, field) => {
  if (typeof value !== 'object' || value === null || !(Symbol.iterator in value)) refuse(field, value, 'an array or another iterable', '');
};

const historyFields: Fields = {
  ruleOf: 'function',
  isKnown: 'function',
  firstCircuitChange: count,
  circuits: iterable,
  clusters: iterable,
  limits: { tools: count, turns: count, clusters: count, cells: count, changes: count },
};

/** Creates a history, empty or from the known circuits and clusters of an earlier run. @throws TypeError | RangeError for an invalid option */
export function createHistory(options: HistoryOptions = {}): History {
  checkOptions(historyFields, options, 'createHistory');
  const { isKnown = () => true, limits = {} } = options;
  const { openTurns, recent, cells, circuits, clusters, highlights, turns } = createFolds(options);
  const changes = new ChangeQueue(limits.changes ?? 1_000);

  return {
    observe(original) {
      checkEvent(original, 'observe');
      const event = withKnownTool(original, isKnown);
      const seen = openTurns.enter(event);
      // Lists of turns show tool names as the model wrote them.
      turns.observe(event === original ? seen : { ...seen, event: original });
      const changed = circuits.observe(seen);
      if (changed) changes.add(circuitChanged(changed));
      const clustered = clusters.observe(seen);
      if (clustered?.isNew && 'tool_id' in event && event.tool_id !== undefined) changes.add(failureAppeared(event.tool_id, clustered));
      cells.observe(seen);
      highlights.observe(seen, clustered?.failure);
      openTurns.leave(seen);
    },
    recall(original) {
      const event = withKnownTool(original, isKnown);
      const seen = openTurns.enter(event);
      turns.recall(event === original ? seen : { ...seen, event: original });
      clusters.recall(seen);
      openTurns.leave(seen);
    },
    take(until) {
      return {
        cells: cells.take(until),
        turns: turns.take(),
        circuitChanges: circuits.take(),
        clusters: clusters.take(clustersPerTake),
        failures: highlights.takeFailures(),
        slowCalls: highlights.takeSlowCalls(),
      };
    },
    takeChanges: () => changes.take(),
    countsOf: (tool, now) => recent.countsOf(tool, now),
    latenciesOf: (tool, now) => recent.latenciesOf(tool, now),
    lastSteps: (tool, now, count) => recent.lastSteps(tool, now, count),
    lastFailure: (tool) => highlights.lastFailure(tool),
    samplesOf: (tool) => circuits.samplesOf(tool),
    clusters: () => clusters.all(),
    cluster: (signature) => clusters.get(signature),
    turn: (turnId) => turns.get(turnId),
    knowsTurn: (turnId) => turns.knows(turnId),
    recentTurns: (now) => turns.recent(now),
  };
}

interface Folds {
  readonly openTurns: OpenTurns;
  readonly recent: RecentCalls;
  readonly cells: CellFold;
  readonly circuits: CircuitFold;
  readonly clusters: ClusterFold;
  readonly highlights: Highlights;
  readonly turns: TurnFactsFold;
}

function createFolds({
  ruleOf = () => undefined,
  firstCircuitChange = 1,
  circuits = [],
  clusters = [],
  limits = {},
}: HistoryOptions): Folds {
  const {
    tools: maxTools = 5_000,
    turns: maxTurns = 20_000,
    clusters: maxClusters = 1_000,
    cells: maxCells = 20_000,
    changes: maxChanges = 1_000,
  } = limits;
  const recent = new RecentCalls(maxTools);
  return {
    openTurns: new OpenTurns({ turns: maxTurns }),
    recent,
    cells: new CellFold(recent, maxCells),
    circuits: new CircuitFold({ ruleOf, firstId: firstCircuitChange, maxTools, maxChanges, known: circuits }),
    clusters: new ClusterFold({ maxClusters, known: clusters }),
    highlights: new Highlights(maxTools),
    turns: new TurnFactsFold({ running: maxTurns }),
  };
}

/** Changes until `take`. Beyond the limit the oldest are dropped. */
class ChangeQueue {
  readonly #max: number;
  #changes: ChangeRecord[] = [];

  constructor(max: number) {
    this.#max = max;
  }

  add(change: ChangeRecord): void {
    if (this.#changes.length === this.#max) this.#changes.shift();
    this.#changes.push(change);
  }

  take(): readonly ChangeRecord[] {
    if (this.#changes.length === 0) return none;
    const taken = this.#changes;
    this.#changes = [];
    return taken;
  }
}

function withKnownTool(event: TraceEvent, isKnown: (tool: string) => boolean): TraceEvent {
  const { tool_id: tool } = event as { readonly tool_id?: string };
  return tool === undefined || isKnown(tool) ? event : ({ ...event, tool_id: unknownTool } as TraceEvent);
}
