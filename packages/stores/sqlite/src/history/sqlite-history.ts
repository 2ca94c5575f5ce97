/**
 * Owns the composition of the history: link, writer, reads. Pending writes come before reads.
 *
 * Invariants
 * 1. Only opening a path that cannot be used throws. A read that fails returns an empty result, and `status` has the reason.
 * 2. Memory is bounded, whatever is written.
 */
import { checkOptions, count, refuse, type Fields } from '@holdfast/core/internal/plain';
import type {
  CallRecord,
  Cell,
  CircuitChange,
  ClusterRecord,
  FactsQuery,
  FailureRecord,
  HistoryStatus,
  KeptChange,
  KeptHistory,
  KeptTurn,
  SeriesQuery,
  ToolCircuitChange,
  TurnPlace,
} from '@holdfast/core/history';
import { historyLevels, type HistoryLevel, type HistoryReads } from '@holdfast/core/internal';
import { statOf } from '../corrupt-file.ts';
import { type SyncAlertRecords, createAlertRecords } from './alert-records.ts';
import { readSeries } from './cells.ts';
import { memoryPath } from './connection.ts';
import type { HistoryConnection } from './history-connection.ts';
import { HistoryLink } from './link.ts';
import * as records from './records.ts';
import { factsOf, findTurns, placeBack } from './turns.ts';
import { HistoryWriter } from './writer.ts';

/** Which file stores the history, for how long, and how much may wait in memory. */
export interface SqliteHistoryOptions {
  /** The database file, or `:memory:`. Missing folders are created. */
  readonly path: string;
  /** Older records are deleted. @default 14 */
  readonly retentionDays?: number;
  /** Records kept in memory while the file cannot be written; further ones are dropped and counted. @default 100000 */
  readonly maxBufferedRecords?: number;
  /** Milliseconds since 1970. @default Date.now */
  readonly now?: () => number;
  /** Called when a fault begins, when its kind changes, and when it ends. */
  readonly onFault?: (status: HistoryStatus) => void;
}

/** The port, with synchronous methods. */
export interface SqliteHistory extends KeptHistory {
  /** What is kept of alerts, in the same file. Its methods may throw. */
  readonly alerts: SyncAlertRecords;
  /** Writes what waits and does what is due, now. */
  flush(): void;
  /** Returns cells by the start of their step, in milliseconds since 1970. */
  series(tool: string, query: SeriesQuery): ReadonlyMap<number, Cell>;
  /** Returns turns that match, newest first. */
  turns(query: FactsQuery): readonly KeptTurn[];
  /** Returns the turn `count` places further back; `undefined` where there are fewer. */
  turnsBack(after: TurnPlace | undefined, count: number): TurnPlace | undefined;
  /** Returns what is kept of one turn; `undefined` when it is not known. */
  facts(turnId: string, startedAt: number): KeptTurn | undefined;
  /** Returns the circuit changes of a tool since a time (milliseconds since 1970), oldest first. */
  circuitChanges(tool: string, since: number): readonly CircuitChange[];
  /** Returns the last circuit change of a tool before a time (milliseconds since 1970). */
  circuitChangeBefore(tool: string, at: number): CircuitChange | undefined;
  /** Returns the last change of each circuit. */
  lastCircuitChanges(): readonly ToolCircuitChange[];
  /** Returns the clusters of failures that were seen last, at most `limit`, those seen longest ago first. */
  clusters(limit: number): readonly ClusterRecord[];
  /** Returns the failures of a tool since a time (milliseconds since 1970), newest first. */
  failures(tool: string, since: number): readonly FailureRecord[];
  /** Returns the slowest calls of a tool since a time (milliseconds since 1970), slowest first. */
  slowCalls(tool: string, since: number, limit: number): readonly CallRecord[];
  /** Returns the last changes, newest first. */
  changes(limit: number): readonly KeptChange[];
  /** Returns the last ids that were given; 0 where there was none. */
  lastIds(): { readonly change: number; readonly circuitChange: number };
  /** Writes what waits and closes the file. What is written afterwards is ignored. */
  close(): void;
}

const dayMs = 86_400_000;
const nothing: ReadonlyMap<number, Cell> = new Map();

const historyFields: Fields = {
  path: (value, field) => {
    if (typeof value !== 'string' || value.trim() === '') refuse(field, value, 'the name of a file, or :memory:', '');
  },
  retentionDays: ['a number of days above 0 and up to 3650', Number.MIN_VALUE, 3_650],
  maxBufferedRecords: count,
  now: 'function',
  onFault: 'function',
};

/**
 * Opens the history in a SQLite file. Several processes may share one file.
 * @throws StoreConfigurationError for a file of another program or a newer version; TypeError or RangeError for invalid options.
 */
export function sqliteHistory(options: SqliteHistoryOptions): SqliteHistory {
  checkOptions(historyFields, options, 'sqliteHistory', ['path']);
  const { path, retentionDays = 14, maxBufferedRecords = 100_000, now = Date.now, onFault } = options;
  const levels = historyLevels(retentionDays);
  const link = new HistoryLink(path, onFault);
  const writer = new HistoryWriter({ link, levels, retentionMs: retentionDays * dayMs, maxWaiting: maxBufferedRecords, now });
  let isClosed = false;

  /** Throws the error that prevents it. */
  const ask = <Value>(work: (connection: HistoryConnection) => Value): Value => {
    writer.settle(false);
    try {
      return work(link.open());
    } catch (error) {
      link.recordFailure(error);
      throw error;
    }
  };
  const read: Read = (work, otherwise) => {
    if (isClosed) return otherwise;
    try {
      return ask(work);
    } catch {
      return otherwise;
    }
  };

  return {
    path,
    retentionDays,
    alerts: createAlertRecords(ask),
    write(batch) {
      if (!isClosed) writer.add(batch);
    },
    flush: () => writer.settle(true),
    tidy: () => writer.tidy(),
    ...readsOf(read, levels),
    status: () => link.status(),
    bytes: () => (path === memoryPath ? 0 : (statOf(path)?.size ?? 0) + (statOf(`${path}-wal`)?.size ?? 0)),
    close() {
      if (isClosed) return;
      writer.settle(false);
      isClosed = true;
      writer.stop();
      link.close();
    },
  };
}

type Read = <Value>(work: (connection: HistoryConnection) => Value, otherwise: Value) => Value;

/** Every read, with its empty result. */
function readsOf(read: Read, levels: readonly HistoryLevel[]): Pick<SqliteHistory, HistoryReads> {
  return {
    series: (tool, query) => read((connection) => readSeries(connection, levels, tool, query), nothing),
    turns: (query) => read((connection) => findTurns(connection, query), []),
    turnsBack: (after, count) => read((connection) => placeBack(connection, after, count), undefined),
    facts: (turnId, startedAt) => read((connection) => factsOf(connection, turnId, startedAt), undefined),
    circuitChanges: (tool, since) => read((connection) => records.circuitChanges(connection, tool, since), []),
    circuitChangeBefore: (tool, at) => read((connection) => records.circuitChangeBefore(connection, tool, at), undefined),
    lastCircuitChanges: () => read(records.lastCircuitChanges, []),
    clusters: (limit) => read((connection) => records.clusters(connection, limit), []),
    failures: (tool, since) => read((connection) => records.failures(connection, tool, since), []),
    slowCalls: (tool, since, limit) => read((connection) => records.slowCalls(connection, tool, since, limit), []),
    changes: (limit) => read((connection) => records.changes(connection, limit), []),
    lastIds: () =>
      read(
        (connection) => ({ change: records.lastId(connection, 'changes'), circuitChange: records.lastId(connection, 'circuit_changes') }),
        { change: 0, circuitChange: 0 },
      ),
  };
}
