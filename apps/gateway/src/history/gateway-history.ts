/**
 * Owns the history of a gateway: the folds over all events, their storage, and the answers about the current state.
 *
 * Invariants
 * 1. It never affects a call: events are counted in memory and written later.
 * 2. Overview, time series and lists come from the same folds, so they cannot disagree.
 * 3. If its file is not usable, the history of this process is kept in memory.
 */
import type { ToolExecutionService, TraceEvent } from '@holdfast/core';
import type { Store } from '@holdfast/core/store';
import { describeError } from '@holdfast/core/internal';
import {
  createHistory as createFolds,
  type HistoryOptions as FoldOptions,
  type KeptHistory,
  type KeptTurn,
  type TurnRecord,
} from '@holdfast/core/history';
import type { Soon } from '@holdfast/core/internal';
import type { Catalog } from '../catalog/catalog.ts';
import { toIso } from '../plain/iso-time.ts';
import { watchAging } from './status-aging.ts';
import type { ChangeItem, ToolTile, Totals, TurnBrief } from '../contract.ts';
import { circuitRule, circuitTimeline } from './circuit-timeline.ts';
import { ChangeLog } from './change-log.ts';
import { keepDurableHistory } from './durable-history.ts';
import { failureCluster, filterClusters } from './failure-clusters.ts';
import type { Changed, History, NewChange } from './history.ts';
import { maxClusters, openFileHistory, type OpenedHistory } from './open-history.ts';
import { createRecall } from './recall-turn.ts';
import { Sequence } from './change-sequence.ts';
import { inOrder, type KnownTool, Tiles } from './tool-tiles.ts';
import { toolHistory } from './tool-history.ts';
import { totalsOf } from './totals.ts';
import { turnBrief } from './turn-brief.ts';
import type { StoreTail } from '../tail/store-tail.ts';
import { type UpstreamStates, watchTools, watchUpstreams } from './watch-tools.ts';

export interface HistoryOptions {
  readonly service: Pick<ToolExecutionService, 'subscribe' | 'tools' | 'getToolHealth' | 'getToolSettings'>;
  readonly catalog: Pick<Catalog, 'get' | 'ready' | 'subscribe'>;
  readonly store?: Pick<Store, 'status'> | undefined;
  /** Path of the file. @default in memory */
  readonly path?: string | undefined;
  /** A history that is open already, instead of `path`. */
  readonly opened?: OpenedHistory | undefined;
  /** Events of other processes, such as workers: they are shown too, and stored if no other process does. @default none */
  readonly others?: { readonly tail: StoreTail; readonly store: Pick<Store, 'readAppended' | 'readTurn'> } | undefined;
  readonly retentionDays: number;
  readonly upstreams?: (() => UpstreamStates) | undefined;
  readonly alertsFiring?: (() => number) | undefined;
  /** Called with a sentence for the operator. */
  readonly onFault: (text: string) => void;
  /** Milliseconds since 1970. @default Date.now */
  readonly now?: (() => number) | undefined;
}

const flushMs = 1_000;
const allFlushes = 10;
/** Maximum number of different faults that are reported, each once. */
const maxFaults = 10;
/** Interval for changes of a tool's status that only the passing of time causes. */
const agingMs = 5_000;
const shownTurns = 20;
const shownChanges = 50;
const turnsPerMessage = 50;

export function createGatewayHistory(options: HistoryOptions): History {
  const { service, catalog, now = Date.now } = options;
  const opened = options.opened ?? openFileHistory(options.path, options);
  const { kept, lastIds, circuits, clusters } = opened;
  const foldOptions: FoldOptions = {
    ruleOf: (tool) => circuitRule(service.getToolSettings(tool)?.breaker),
    isKnown: (tool) => service.getToolSettings(tool) !== undefined,
    firstCircuitChange: lastIds.circuitChange + 1,
    circuits,
    clusters,
    limits: { clusters: maxClusters },
  };
  /** Counts of this process's own calls, which it writes. */
  const own = createFolds(foldOptions);
  /** Counts of all processes, which are shown. */
  const folds = options.others ? createFolds(foldOptions) : own;
  const sequence = new Sequence();
  const tiles = new Tiles(folds);
  const startedAt = toIso(now());
  const changes = new ChangeLog({
    lastId: lastIds.change,
    earlier: (count) => opened.changes.slice(0, count) as readonly ChangeItem[],
    nextPlace: () => sequence.next(),
  });
  const earlierTurns = endedTurns(opened.turns);

  const note = (change: NewChange): void => changes.add({ at: toIso(now()), ...change });

  const observe = (event: TraceEvent): void => {
    own.observe(event);
    for (const change of own.takeChanges()) changes.add(change);
    if (folds !== own) folds.observe(event);
    touch(event);
  };
  const touch = (event: TraceEvent): void => {
    const { tool_id: tool } = event as { readonly tool_id?: string };
    if (tool !== undefined && service.getToolSettings(tool) !== undefined) sequence.touchTool(tool);
    if (folds.knowsTurn(event.turn_id)) sequence.touchTurn(event.turn_id);
  };

  const write = (until?: number): void => {
    kept.write({ ...own.take(until), changes: changes.take() });
    // Dropped: the other processes write these counts.
    if (folds !== own) folds.take();
  };
  /** Returns the stored history after writing all pending counts. */
  const settledHistory = (): KeptHistory => {
    write();
    return kept;
  };

  const knownTool = (name: string): KnownTool | undefined => {
    const health = service.getToolHealth(name);
    if (!health) return undefined;
    const entry = catalog.get(name);
    const hasCircuit = service.getToolSettings(name)?.breaker !== false;
    return { name, source: entry?.source ?? { kind: 'tool' }, isDegraded: entry?.degraded ?? false, health, hasCircuit };
  };
  const tileAt = (name: string, at: number): ToolTile | undefined => {
    const tool = knownTool(name);
    return tool && tiles.tileOf(tool, sequence.tools.get(name) ?? 0, at);
  };
  const tilesAt = (at: number): readonly ToolTile[] => inOrder(service.tools.flatMap(({ name }) => tileAt(name, at) ?? []));

  const briefs = (turnIds: readonly string[]): readonly TurnBrief[] =>
    turnIds
      .flatMap((turnId) => folds.turn(turnId) ?? [])
      .toSorted((one, other) => other.started_at - one.started_at)
      .map(turnBrief);
  /** A turn of an earlier process that continues is listed with its current state. */
  const latestTurns = (): readonly TurnBrief[] => {
    const earlier = earlierTurns.filter(({ turn_id: turnId }) => !sequence.turns.has(turnId));
    return [...briefs([...sequence.turns.keys()].toReversed()), ...earlier.map(turnBrief)]
      .toSorted((one, other) => Date.parse(other.started_at) - Date.parse(one.started_at))
      .slice(0, shownTurns);
  };

  const totals = (): Totals =>
    totalsOf({
      ...options,
      now: now(),
      folds,
      kept,
      startedAt,
      counts: (name) => tiles.countsOf(name, sequence.tools.get(name) ?? 0, now()),
    });

  const everything = (): Changed => ({
    cursor: sequence.cursor,
    reset: true,
    tools: tilesAt(now()),
    removed_tools: [],
    changes: changes.latest(shownChanges),
    turns: latestTurns(),
  });

  /** Returns a function that unsubscribes. */
  const followOthers = ({ tail, store }: NonNullable<HistoryOptions['others']>): (() => Promise<void>) => {
    const recall = createRecall({ store, folds });
    const stopTail = tail.subscribe(async (events) => {
      for (const event of events) {
        await recall.observe(event);
        touch(event);
      }
      folds.takeChanges();
    });
    const stopKeeping = keepDurableHistory({
      store,
      kept,
      folds: foldOptions,
      onChange: (change) => changes.add(change),
      onFault: options.onFault,
    });
    return async () => {
      stopTail();
      await stopKeeping();
    };
  };

  const faults = new Set<string>();
  const stopOthers = options.others && followOthers(options.others);
  const stopListening = service.subscribe((event) => {
    try {
      observe(event);
    } catch (error) {
      // A listener that throws is removed: one event that cannot be counted must not lose all later ones.
      const text = `History: an event cannot be counted: ${describeError(error).message}`;
      if (faults.size < maxFaults && !faults.has(text)) options.onFault(text);
      if (faults.size < maxFaults) faults.add(text);
    }
  });
  const stopTools = watchTools({
    service,
    catalog,
    note,
    touch: (name) => sequence.touchTool(name),
    remove(name) {
      sequence.removeTool(name);
      tiles.forget(name);
    },
  });
  const upstreamsNow = watchUpstreams(options.upstreams, note);
  let flushes = 0;
  const flushing = setInterval(() => {
    flushes += 1;
    // Occasionally also writes events with a later date: clocks may go back.
    write(flushes % allFlushes === 0 ? undefined : now());
    kept.tidy();
    upstreamsNow();
  }, flushMs);
  const aging = setInterval(watchAging({ tiles: () => tilesAt(now()), touch: (name) => sequence.touchTool(name) }), agingMs);
  flushing.unref();
  aging.unref();

  return {
    alerts: opened.alerts,
    overview: (alerts) => ({
      at: toIso(now()),
      cursor: sequence.cursor,
      totals: { ...totals(), alerts_firing: alerts.filter(({ state }) => state === 'firing').length },
      tools: tilesAt(now()),
      changes: changes.latest(shownChanges).toReversed(),
      alerts,
      turns: latestTurns(),
    }),
    totals,
    tiles: () => tilesAt(now()),
    tile: (name) => tileAt(name, now()),
    changes: (limit) => changes.latest(limit).toReversed(),
    note,
    cursor: () => sequence.cursor,
    changedSince(cursor) {
      const place = sequence.placeOf(cursor);
      if (place === undefined) return everything();
      const since = (things: ReadonlyMap<string, number>): readonly string[] =>
        [...things].filter(([, at]) => at > place).map(([name]) => name);
      return {
        cursor: sequence.cursor,
        tools: since(sequence.tools).flatMap((name) => tileAt(name, now()) ?? []),
        removed_tools: since(sequence.removed),
        changes: changes.since(place),
        turns: briefs(since(sequence.turns).slice(-turnsPerMessage)),
      };
    },
    subscribe: (listener) => sequence.subscribe(listener),
    toolHistory: (tool, range) => toolHistory(settledHistory(), tool, range, now()),
    circuit: (tool, range) =>
      circuitTimeline(tool, range, {
        kept: settledHistory(),
        samples: folds.samplesOf(tool),
        breaker: service.getToolSettings(tool)?.breaker,
        now: now(),
      }),
    failures: (filter) => filterClusters(folds.clusters(), filter).map((cluster) => failureCluster(cluster, now())),
    failure(signature) {
      const cluster = folds.cluster(signature);
      return cluster && failureCluster(cluster, now());
    },
    turns: (query) => settledHistory().turns(query),
    turnsBack: (after, count) => kept.turnsBack(after, count),
    facts(turnId, at): Soon<TurnRecord | undefined> {
      const turn = folds.turn(turnId);
      return turn?.started_at === at ? turn : kept.facts(turnId, at);
    },
    async close() {
      if (stopOthers) await stopOthers();
      stopListening();
      stopTools();
      clearInterval(flushing);
      clearInterval(aging);
      sequence.stop();
      write();
      await kept.close();
    },
  };
}

/** Excludes turns without an end: they were interrupted with their process and must not be shown as running. */
function endedTurns(turns: readonly KeptTurn[]): readonly KeptTurn[] {
  return turns.filter(({ ended_at: endedAt }) => endedAt !== undefined).slice(0, shownTurns);
}
