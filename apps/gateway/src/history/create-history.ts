/**
 * Owns the history of a gateway: the folds over everything that happens, the file it is kept in, what is told of the present.
 *
 * Invariants
 * 1. Nothing of it reaches a call: what is observed is counted in memory, and written later.
 * 2. Overview, series and lists are answers of the same folds, so they cannot disagree.
 * 3. Where its file cannot be used, the history of this process is there all the same.
 */
import { describeError, type Store, type ToolExecutionService, type TraceEvent } from '@holdfast/core';
import { createHistory as createFolds } from '@holdfast/core/history';
import { isConfigurationError } from '@holdfast/store-sqlite';
import { type KeptTurn, type SqliteHistory, sqliteHistory } from '@holdfast/store-sqlite/history';
import type { Catalog } from '../catalog/catalog.ts';
import { isoOf } from '../iso.ts';
import { watchAging } from './aging.ts';
import type { ChangeItem, ToolTile, Totals, TurnBrief } from '../contract.ts';
import { circuitRule, circuitTimeline } from './circuit-timeline.ts';
import { ChangeLog } from './change-log.ts';
import { failureCluster, filtered } from './failure-clusters.ts';
import type { Changed, History, ToldChange } from './history.ts';
import { Sequence } from './sequence.ts';
import { inOrder, type KnownTool, Tiles } from './tiles.ts';
import { toolHistory } from './tool-history.ts';
import { totalsOf } from './totals.ts';
import { turnBrief } from './turn-brief.ts';
import { type UpstreamStates, watchTools, watchUpstreams } from './watching.ts';

export interface HistoryOptions {
  readonly service: Pick<ToolExecutionService, 'subscribe' | 'tools' | 'getToolHealth' | 'getToolSettings'>;
  readonly catalog: Pick<Catalog, 'get' | 'ready' | 'subscribe'>;
  readonly store?: Pick<Store, 'status'> | undefined;
  /** Of the file. @default it is kept in memory */
  readonly path?: string | undefined;
  readonly retentionDays: number;
  readonly upstreams?: (() => UpstreamStates) | undefined;
  readonly alertsFiring?: (() => number) | undefined;
  /** In a sentence, for whoever runs the gateway. */
  readonly onFault: (text: string) => void;
  /** Milliseconds since 1970. @default Date.now */
  readonly now?: (() => number) | undefined;
}

const flushMs = 1_000;
const allFlushes = 10;
/** Told of, each once. */
const mostFaults = 10;
/** A tool's recent past grows old without anything happening. */
const agingMs = 5_000;
const shownTurns = 20;
const earlierLookedAt = 200;
const shownChanges = 50;
const mostClusters = 1_000;
const turnsAtOnce = 50;

export function createHistory(options: HistoryOptions): History {
  const { service, catalog, now = Date.now } = options;
  const kept = openKept(options);
  const last = kept.lastIds();
  const folds = createFolds({
    ruleOf: (tool) => circuitRule(service.getToolSettings(tool)?.breaker),
    isKnown: (tool) => service.getToolSettings(tool) !== undefined,
    firstCircuitChange: last.circuitChange + 1,
    circuits: kept.lastCircuitChanges(),
    clusters: kept.clusters(mostClusters),
    limits: { clusters: mostClusters },
  });
  const sequence = new Sequence();
  const tiles = new Tiles(folds);
  const startedAt = isoOf(now());
  const changes = new ChangeLog({
    lastId: last.change,
    earlier: (count) => kept.changes(count) as readonly ChangeItem[],
    nextPlace: () => sequence.next(),
  });
  const earlierTurns = endedTurns(kept);

  const note = (change: ToldChange): void => changes.add({ at: isoOf(now()), ...change });

  const observe = (event: TraceEvent): void => {
    folds.observe(event);
    for (const change of folds.takeChanges()) changes.add(change);
    const { tool_id: tool } = event as { readonly tool_id?: string };
    if (tool !== undefined && service.getToolSettings(tool) !== undefined) sequence.touchTool(tool);
    if (folds.knowsTurn(event.turn_id)) sequence.touchTurn(event.turn_id);
  };

  const write = (until?: number): void => {
    kept.write({ ...folds.take(until), changes: changes.take() });
  };
  /** Everything that has happened can be read behind it. */
  const settled = (): SqliteHistory => {
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
  /** A turn that is seen again stands there as it is now. */
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

  const faults = new Set<string>();
  const stopListening = service.subscribe((event) => {
    try {
      observe(event);
    } catch (error) {
      // A listener that throws is heard no more: an event that cannot be counted must not cost all those behind it.
      const text = `History: an event cannot be counted: ${describeError(error).message}`;
      if (faults.size < mostFaults && !faults.has(text)) options.onFault(text);
      if (faults.size < mostFaults) faults.add(text);
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
    // Now and then also what is dated later than now: clocks go back, too.
    write(flushes % allFlushes === 0 ? undefined : now());
    kept.tidy();
    upstreamsNow();
  }, flushMs);
  const aging = setInterval(watchAging({ tiles: () => tilesAt(now()), touch: (name) => sequence.touchTool(name) }), agingMs);
  flushing.unref();
  aging.unref();

  return {
    alerts: kept.alerts,
    overview: (alerts) => ({
      at: isoOf(now()),
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
        turns: briefs(since(sequence.turns).slice(-turnsAtOnce)),
      };
    },
    subscribe: (listener) => sequence.subscribe(listener),
    toolHistory: (tool, range) => toolHistory(settled(), tool, range, now()),
    circuit: (tool, range) =>
      circuitTimeline(tool, range, {
        kept: settled(),
        samples: folds.samplesOf(tool),
        breaker: service.getToolSettings(tool)?.breaker,
        now: now(),
      }),
    failures: (filter) => filtered(folds.clusters(), filter).map((cluster) => failureCluster(cluster, now())),
    failure(signature) {
      const cluster = folds.cluster(signature);
      return cluster && failureCluster(cluster, now());
    },
    turns: (query) => settled().turns(query),
    turnsBack: (after, count) => kept.turnsBack(after, count),
    facts(turnId, at) {
      const turn = folds.turn(turnId);
      return turn?.started_at === at ? turn : kept.facts(turnId, at);
    },
    close() {
      stopListening();
      stopTools();
      clearInterval(flushing);
      clearInterval(aging);
      sequence.stop();
      write();
      kept.close();
    },
  };
}

/** One without an end was cut off with its process: nobody may be told that it runs. */
function endedTurns(kept: SqliteHistory): readonly KeptTurn[] {
  const ended = kept.turns({ limit: earlierLookedAt }).filter(({ ended_at: endedAt }) => endedAt !== undefined);
  return ended.slice(0, shownTurns);
}

function openKept({ path = ':memory:', retentionDays, now, onFault }: HistoryOptions): SqliteHistory {
  const how = {
    retentionDays,
    ...(now ? { now } : {}),
    onFault: ({ problem }: { readonly problem?: string }): void => onFault(problem ?? `History ${path} is kept again.`),
  };
  try {
    return sqliteHistory({ path, ...how });
  } catch (error) {
    if (!isConfigurationError(error)) throw error;
    onFault(`${error.message} Until then the history is kept in memory only.`);
    return sqliteHistory({ path: ':memory:', ...how });
  }
}
