/**
 * Owns putting the folds of the history together: what a gateway, or anybody with a trace, knows of its past. Pure: events in, records out.
 *
 * Invariants
 * 1. Everything is a fold over trace events; the same events give the same history, anyone who folds them.
 * 2. Time is in the events; questions about the recent past are given the present.
 * 3. Memory is bounded, whatever the events: tools, turns, clusters, and what waits to be taken.
 */
import type { LatencySketch } from '../metrics/sketch.ts';
import type { TraceEvent } from '../../engine/trace/events.ts';
import type { CellCounts } from './cell.ts';
import { CellFold, type FineCell } from './cell-fold.ts';
import { circuitChanged, failureAppeared } from './changes.ts';
import type { CircuitRule } from './circuit-cause.ts';
import { CircuitFold, type ToolCircuitChange } from './circuit-fold.ts';
import { ClusterFold } from './clusters.ts';
import { Highlights, type SlowCall, type ToolFailure } from './highlights.ts';
import { RecentCalls } from './recent.ts';
import type { ChangeRecord, CircuitSample, ClusterRecord, FailureRecord, TurnRecord } from './records.ts';
import { Tracks } from './open-turns.ts';
import { type RecentTurns, TurnFactsFold } from './turn-fold.ts';

/** Options of `createHistory`. */
export interface HistoryOptions {
  /** What a tool's circuit goes by; without it, outcomes that changed a circuit by their share cannot all be told. */
  readonly ruleOf?: (tool: string) => CircuitRule | undefined;
  /** Tools that it does not know are kept together, as `(unknown)`: models invent names. @default all are known */
  readonly isKnown?: (tool: string) => boolean;
  /** The first id of a change of a circuit. @default 1 */
  readonly firstCircuitChange?: number;
  /** The last change of each circuit that was known before. @default all are closed */
  readonly circuits?: Iterable<ToolCircuitChange>;
  /** Clusters that were known before, seen longest ago first. */
  readonly clusters?: Iterable<ClusterRecord>;
  /** How much is remembered at most. */
  readonly limits?: HistoryLimits;
}

/** Limits of a history; beyond them the oldest is forgotten. */
export interface HistoryLimits {
  /** Tools. @default 5000 */
  readonly tools?: number;
  /** Turns that run. @default 20000 */
  readonly turns?: number;
  /** Failure clusters. @default 1000 */
  readonly clusters?: number;
  /** Cells that wait to be taken. @default 20000 */
  readonly cells?: number;
  /** Changes that wait to be taken. @default 1000 */
  readonly changes?: number;
}

/** What is to be written. */
export interface HistoryBatch {
  /** What tools did, in cells of one second. */
  readonly cells: readonly FineCell[];
  /** Turns that are new or have changed; a later record replaces the earlier one. */
  readonly turns: readonly TurnRecord[];
  /** New ones, and earlier ones that are known better now. */
  readonly circuitChanges: readonly ToolCircuitChange[];
  /** What came to each since it was taken last: kept by `mergeClusters`. */
  readonly clusters: readonly ClusterRecord[];
  /** Failures of calls that have ended, by tool, the oldest first. */
  readonly failures: readonly ToolFailure[];
  /** Calls that were among the slowest of their tool when they ended. */
  readonly slowCalls: readonly SlowCall[];
}

/** A fold over trace events: what tools, circuits, turns and failures did. Stores keep what `take` hands out. */
export interface History {
  /** Counts one event; events of a turn must come in order. */
  observe(event: TraceEvent): void;
  /** Takes in what another process has counted before: counts nothing, and remembers what the rest of its turn needs. */
  recall(event: TraceEvent): void;
  /** What has happened since it was taken last; of cells only those that end by `until`, milliseconds since 1970. @default all */
  take(until?: number): HistoryBatch;
  /** What has changed since this was asked last, the oldest first. */
  takeChanges(): readonly ChangeRecord[];
  /** Of the last five minutes. */
  countsOf(tool: string, now: number): CellCounts;
  /** Milliseconds of a tool's calls in the last five minutes; `now` in milliseconds since 1970. */
  latenciesOf(tool: string, now: number): LatencySketch;
  /** Counts of the last steps of five seconds, the oldest first. */
  lastSteps(tool: string, now: number, count: number): readonly (CellCounts | undefined)[];
  /** The latest failure of a tool since the start; `undefined` when there was none. */
  lastFailure(tool: string): FailureRecord | undefined;
  /** The latest outcomes that a circuit has seen, the oldest first. */
  samplesOf(tool: string): readonly CircuitSample[];
  /** All failure clusters that are remembered. */
  clusters(): readonly ClusterRecord[];
  /** The failure cluster of a signature; `undefined` when it is not remembered. */
  cluster(signature: string): ClusterRecord | undefined;
  /** A turn that runs, or has ended lately. */
  turn(turnId: string): TurnRecord | undefined;
  /** Whether a turn runs, or has ended lately. */
  knowsTurn(turnId: string): boolean;
  /** Turns that ended in the last five minutes. */
  recentTurns(now: number): RecentTurns;
}

/** The name under which unknown tools are kept. */
const unknownTool = '(unknown)';
const clustersAtOnce = 200;
/** The answer where nothing has changed. */
const none: readonly never[] = [];

/** Creates a history from what was known before; without options it is empty. */
export function createHistory(options: HistoryOptions = {}): History {
  const { isKnown = () => true, limits = {} } = options;
  const { tracks, recent, cells, circuits, clusters, highlights, turns } = foldsOf(options);
  const changes = new ChangeQueue(limits.changes ?? 1_000);

  return {
    observe(told) {
      const event = named(told, isKnown);
      const seen = tracks.enter(event);
      // Of every call as it was named: lists of turns tell the model's inventions.
      turns.observe(event === told ? seen : { ...seen, event: told });
      const changed = circuits.observe(seen);
      if (changed) changes.add(circuitChanged(changed));
      const clustered = clusters.observe(seen);
      if (clustered?.isNew && 'tool_id' in event && event.tool_id !== undefined) changes.add(failureAppeared(event.tool_id, clustered));
      cells.observe(seen);
      highlights.observe(seen, clustered?.failure);
      tracks.leave(seen);
    },
    recall(told) {
      const event = named(told, isKnown);
      const seen = tracks.enter(event);
      turns.recall(event === told ? seen : { ...seen, event: told });
      clusters.recall(seen);
      tracks.leave(seen);
    },
    take(until) {
      return {
        cells: cells.take(until),
        turns: turns.take(),
        circuitChanges: circuits.take(),
        clusters: clusters.take(clustersAtOnce),
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
  readonly tracks: Tracks;
  readonly recent: RecentCalls;
  readonly cells: CellFold;
  readonly circuits: CircuitFold;
  readonly clusters: ClusterFold;
  readonly highlights: Highlights;
  readonly turns: TurnFactsFold;
}

function foldsOf({ ruleOf = () => undefined, firstCircuitChange = 1, circuits = [], clusters = [], limits = {} }: HistoryOptions): Folds {
  const {
    tools: mostTools = 5_000,
    turns: mostTurns = 20_000,
    clusters: mostClusters = 1_000,
    cells: mostCells = 20_000,
    changes: mostChanges = 1_000,
  } = limits;
  const recent = new RecentCalls(mostTools);
  return {
    tracks: new Tracks({ turns: mostTurns }),
    recent,
    cells: new CellFold(recent, mostCells),
    circuits: new CircuitFold({ ruleOf, firstId: firstCircuitChange, mostTools, mostChanges, known: circuits }),
    clusters: new ClusterFold({ mostClusters, known: clusters }),
    highlights: new Highlights(mostTools),
    turns: new TurnFactsFold({ running: mostTurns }),
  };
}

/** Changes that wait to be taken. The oldest go where there are too many. */
class ChangeQueue {
  readonly #most: number;
  #changes: ChangeRecord[] = [];

  constructor(most: number) {
    this.#most = most;
  }

  add(change: ChangeRecord): void {
    if (this.#changes.length === this.#most) this.#changes.shift();
    this.#changes.push(change);
  }

  take(): readonly ChangeRecord[] {
    if (this.#changes.length === 0) return none;
    const taken = this.#changes;
    this.#changes = [];
    return taken;
  }
}

function named(event: TraceEvent, isKnown: (tool: string) => boolean): TraceEvent {
  const { tool_id: tool } = event as { readonly tool_id?: string };
  return tool === undefined || isKnown(tool) ? event : ({ ...event, tool_id: unknownTool } as TraceEvent);
}
