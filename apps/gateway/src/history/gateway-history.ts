/**
 * Owns the history of a gateway: what it observes, when it writes, and what it returns. Does not own the folding (`record.ts`) or the current state
 * (`present.ts`).
 *
 * Invariants
 * 1. It never affects a call: events are counted in memory and written later.
 * 2. Overview, series and lists are answers of the same folds, so they cannot disagree.
 * 3. If its file cannot be used, the history of this process is still available.
 */
import type { ToolExecutionService, TraceEvent } from '@holdfast/core';
import { describeError, type MaybePromise } from '@holdfast/core/internal';
import type { Store } from '@holdfast/core/store';
import type { Totals } from '../contract.ts';
import type { TurnRecord } from '@holdfast/core/history';
import type { Catalog } from '../catalog/catalog.ts';
import type { AlertItem } from '../contract.ts';
import { circuitTimeline } from './circuit-timeline.ts';
import { failureCluster, filterClusters } from './failure-clusters.ts';
import type { History, NewChange } from './history.ts';
import { openFileHistory, type OpenedHistory } from './open-history.ts';
import { HistoryPresent } from './present.ts';
import { HistoryRecord, type OtherProcesses } from './record.ts';
import { watchAging } from './status-aging.ts';
import { toolHistory } from './tool-history.ts';
import { type UpstreamStates, watchTools, watchUpstreams } from './watch-tools.ts';

export interface GatewayHistoryOptions {
  readonly service: Pick<ToolExecutionService, 'subscribe' | 'tools' | 'getToolHealth' | 'getToolSettings'>;
  readonly catalog: Pick<Catalog, 'get' | 'list' | 'ready' | 'subscribe'>;
  readonly store?: Pick<Store, 'status'> | undefined;
  /** Of the file. @default it is kept in memory */
  readonly path?: string | undefined;
  /** Opened already, in place of `path`. */
  readonly opened?: OpenedHistory | undefined;
  /** Events of other processes, such as workers: included, and stored if no other process stores them. @default none */
  readonly others?: OtherProcesses | undefined;
  readonly retentionDays: number;
  readonly upstreams?: (() => UpstreamStates) | undefined;
  /** All current alerts: a tool for which one fires is not ok. @default none */
  readonly alerts?: (() => readonly AlertItem[]) | undefined;
  /** The limit of the alert rule for failed calls. @default 0.05 */
  readonly failureLimit?: (() => number) | undefined;
  readonly loginsRequired?: (() => Totals['logins_required']) | undefined;
  /** @default 0 */
  readonly toolsWithheld?: (() => number) | undefined;
  /** Called for each change that an operator has made. */
  readonly onAction?: ((change: NewChange) => void) | undefined;
  /** In a sentence, for the operator. */
  readonly onFault: (text: string) => void;
  /** Milliseconds since 1970. @default Date.now */
  readonly now?: (() => number) | undefined;
}

const flushMs = 1_000;
const allFlushes = 10;
/** Each is reported once. */
const maxFaults = 10;
/** A tool's recent past grows old without anything happening. */
const agingMs = 5_000;

export function createGatewayHistory(options: GatewayHistoryOptions): History {
  const { service, now = Date.now } = options;
  const opened = options.opened ?? openFileHistory(options.path, options);
  const record = new HistoryRecord({ service, opened, hasOthers: options.others !== undefined, now });
  const present = new HistoryPresent(options, record, opened.turns, now);
  const startedAt = now();
  const { kept, folds, changes, sequence } = record;
  const lookAtAge = watchAging({ tiles: () => present.eachTile(), touch: (name) => sequence.touchTool(name) });
  const stopWatching = watch(options, record, present, { now, lookAtAge });

  return {
    alerts: opened.alerts,
    overview: (alerts) => present.overview(alerts),
    totals: () => present.totals(),
    tiles: () => present.tiles(),
    tile: (name) => present.tile(name),
    changes: (limit) => changes.latest(limit).toReversed(),
    note(change) {
      record.note(change);
      if (change.kind === 'operator_action') options.onAction?.(change);
    },
    cursor: () => sequence.cursor,
    knows: (cursor) => present.knows(cursor),
    changedSince: (cursor) => present.changedSince(cursor),
    subscribe: (listener) => sequence.subscribe(listener),
    refresh: lookAtAge,
    toolHistory: (tool, range) => toolHistory(record.settle(), tool, range, now()),
    circuit: (tool, range) =>
      circuitTimeline(tool, range, {
        kept: record.settle(),
        samples: folds.samplesOf(tool),
        breaker: service.getToolSettings(tool)?.breaker,
        now: now(),
        startedAt,
      }),
    failures: (filter) => filterClusters(folds.clusters(), filter).map((cluster) => failureCluster(cluster, now())),
    failure(signature) {
      const cluster = folds.cluster(signature);
      return cluster && failureCluster(cluster, now());
    },
    turns: (query) => record.settle().turns(query),
    turnsBack: (after, count) => kept.turnsBack(after, count),
    facts(turnId, at): MaybePromise<TurnRecord | undefined> {
      const turn = folds.turn(turnId);
      return turn?.started_at === at ? turn : kept.facts(turnId, at);
    },
    async close() {
      await stopWatching();
      sequence.stop();
      record.write();
      await kept.close();
    },
  };
}

/** Observes events and writes them every second. Returns a function that stops it. */
function watch(
  options: GatewayHistoryOptions,
  record: HistoryRecord,
  present: HistoryPresent,
  { now, lookAtAge }: { readonly now: () => number; readonly lookAtAge: () => void },
): () => Promise<void> {
  const { service, catalog, others, onFault } = options;
  const { sequence } = record;
  const stopOthers = others && record.followOthers(others, onFault);
  const stopListening = service.subscribe(observer(record, onFault));
  const stopTools = watchTools({
    service,
    catalog,
    note: (change) => record.note(change),
    touch: (name) => sequence.touchTool(name),
    remove(name) {
      sequence.removeTool(name);
      present.forget(name);
    },
  });
  const lookAtUpstreams = watchUpstreams(options.upstreams, (change) => record.note(change));
  let flushes = 0;
  const flushing = setInterval(() => {
    flushes += 1;
    // From time to time also events dated later than now, since clocks can go back.
    record.write(flushes % allFlushes === 0 ? undefined : now());
    record.kept.tidy();
    lookAtUpstreams();
  }, flushMs).unref();
  const aging = setInterval(lookAtAge, agingMs).unref();
  return async () => {
    if (stopOthers) await stopOthers();
    stopListening();
    stopTools();
    clearInterval(flushing);
    clearInterval(aging);
  };
}

/** The service drops a listener that throws: an event that cannot be counted must not cost all those behind it. */
function observer(record: HistoryRecord, onFault: (text: string) => void): (event: TraceEvent) => void {
  const faults = new Set<string>();
  return (event) => {
    try {
      record.observe(event);
    } catch (error) {
      const text = `History: an event cannot be counted: ${describeError(error).message}`;
      if (faults.size >= maxFaults || faults.has(text)) return;
      faults.add(text);
      onFault(text);
    }
  };
}
