/**
 * Owns putting the history's file together: link, writer, reads. Everything that waits is written before it is read.
 *
 * Invariants
 * 1. Nothing but the opening of a path that can never work throws: a read that fails answers as if nothing were known, and `status` says why.
 * 2. Memory is bounded, whatever is written.
 */
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
import { historyLevels, type HistoryLevel } from '@holdfast/core/internal';
import { statOf } from '../corrupt-file.ts';
import { type SyncAlertRecords, createAlertRecords } from './alert-records.ts';
import { readSeries } from './cells.ts';
import { memoryPath } from './connection.ts';
import type { HistoryConnection } from './history-connection.ts';
import { HistoryLink } from './link.ts';
import * as records from './records.ts';
import { factsOf, findTurns, placeBack } from './turns.ts';
import { HistoryWriter } from './writer.ts';

export interface SqliteHistoryOptions {
  /** The database file, or `:memory:`. Missing folders are made. */
  readonly path: string;
  /** What is older is deleted. @default 14 */
  readonly retentionDays?: number;
  /** Records that are kept in memory while the file cannot be written; what comes beyond is counted as dropped. @default 100000 */
  readonly maxBufferedRecords?: number;
  /** Milliseconds since 1970. @default Date.now */
  readonly now?: () => number;
  /** Told when something is wrong, and when it is over. */
  readonly onFault?: (status: HistoryStatus) => void;
}

/** What the port promises, at once. */
export interface SqliteHistory extends KeptHistory {
  readonly alerts: SyncAlertRecords;
  flush(): void;
  series(tool: string, query: SeriesQuery): ReadonlyMap<number, Cell>;
  turns(query: FactsQuery): readonly KeptTurn[];
  turnsBack(after: TurnPlace | undefined, count: number): TurnPlace | undefined;
  facts(turnId: string, startedAt: number): KeptTurn | undefined;
  circuitChanges(tool: string, since: number): readonly CircuitChange[];
  circuitChangeBefore(tool: string, at: number): CircuitChange | undefined;
  lastCircuitChanges(): readonly ToolCircuitChange[];
  clusters(limit: number): readonly ClusterRecord[];
  failures(tool: string, since: number): readonly FailureRecord[];
  slowCalls(tool: string, since: number, limit: number): readonly CallRecord[];
  changes(limit: number): readonly KeptChange[];
  lastIds(): { readonly change: number; readonly circuitChange: number };
  close(): void;
}

const dayMs = 86_400_000;
const nothing: ReadonlyMap<number, Cell> = new Map();

/** @throws StoreConfigurationError for a file of another program or a newer version; TypeError or RangeError for options that are none. */
export function sqliteHistory({
  path,
  retentionDays = 14,
  maxBufferedRecords = 100_000,
  now = Date.now,
  onFault,
}: SqliteHistoryOptions): SqliteHistory {
  checkOptions(path, retentionDays, maxBufferedRecords);
  const levels = historyLevels(retentionDays);
  const link = new HistoryLink(path, onFault);
  const writer = new HistoryWriter({ link, levels, retentionMs: retentionDays * dayMs, mostWaiting: maxBufferedRecords, now });
  let isClosed = false;

  /** Throws what prevented it. */
  const ask = <Value>(work: (connection: HistoryConnection) => Value): Value => {
    writer.settle(false);
    try {
      return work(link.open());
    } catch (error) {
      link.failed(error);
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
type Reads = Pick<
  SqliteHistory,
  | 'series'
  | 'turns'
  | 'turnsBack'
  | 'facts'
  | 'circuitChanges'
  | 'circuitChangeBefore'
  | 'lastCircuitChanges'
  | 'clusters'
  | 'failures'
  | 'slowCalls'
  | 'changes'
  | 'lastIds'
>;

/** Every question, with what it answers where nothing is known. */
function readsOf(read: Read, levels: readonly HistoryLevel[]): Reads {
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

function checkOptions(path: string, retentionDays: number, maxBufferedRecords: number): void {
  if (typeof path !== 'string' || path.trim() === '')
    throw new TypeError(`sqliteHistory: path is ${JSON.stringify(path)}; give the name of a file.`);
  if (!(retentionDays > 0 && retentionDays <= 3_650))
    throw new RangeError(`sqliteHistory: retentionDays is ${String(retentionDays)}; give a number above 0 and up to 3650.`);
  if (!(Number.isSafeInteger(maxBufferedRecords) && maxBufferedRecords > 0))
    throw new RangeError(`sqliteHistory: maxBufferedRecords is ${String(maxBufferedRecords)}; give a whole number of at least 1.`);
}
