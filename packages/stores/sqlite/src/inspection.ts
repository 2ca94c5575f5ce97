/**
 * Owns the statistics and the integrity check of the file.
 */
import type { Connection } from './connection.ts';
import { statOf } from './corrupt-file.ts';
import { schemaVersionOf } from './migrate.ts';
import type { SqliteWriterStats } from './writer.ts';

/** `buffered`, `written` and `batches` count from when this store was opened; the rest is of the file. */
export interface SqliteStats extends SqliteWriterStats {
  /** The database file. */
  readonly path: string;
  /** Version of the tables; 0 when the file cannot be opened. */
  readonly schemaVersion: number;
  /** Stored runs of turns. */
  readonly turns: number;
  /** Stored events. */
  readonly events: number;
  /** Tools whose circuit is stored. */
  readonly circuits: number;
  /** Milliseconds since 1970; absent when there is no turn. */
  readonly oldestTurnAt?: number;
  /** Milliseconds since 1970; absent when there is no turn. */
  readonly newestTurnAt?: number;
  /** Size of the database file in bytes. */
  readonly fileBytes: number;
  /** Size of the write-ahead log beside it, in bytes. */
  readonly logBytes: number;
  /** Free bytes within `fileBytes`, which are reused. */
  readonly freeBytes: number;
}

export function storeStats(connection: Connection | undefined, path: string, writer: SqliteWriterStats): SqliteStats {
  const file = { path, fileBytes: statOf(path)?.size ?? 0, logBytes: statOf(`${path}-wal`)?.size ?? 0, ...writer };
  if (connection === undefined) return { ...file, schemaVersion: 0, turns: 0, events: 0, circuits: 0, freeBytes: 0 };
  const { database } = connection;
  const turns = database
    .prepare('SELECT count(*) AS turns, sum(events) AS events, min(started_at) AS oldest, max(started_at) AS newest FROM turns')
    .get();
  const pages = database.prepare('SELECT freelist_count * page_size AS free FROM pragma_freelist_count, pragma_page_size').get();
  const circuits = database.prepare('SELECT count(*) AS circuits FROM circuits').get();
  return {
    ...file,
    schemaVersion: schemaVersionOf(database),
    turns: Number(turns?.['turns']),
    events: Number(turns?.['events'] ?? 0),
    circuits: Number(circuits?.['circuits']),
    ...(typeof turns?.['oldest'] === 'number' ? { oldestTurnAt: turns['oldest'], newestTurnAt: Number(turns['newest']) } : {}),
    freeBytes: Number(pages?.['free']),
  };
}

export function checkIntegrity({ database }: Connection): readonly string[] {
  const found = database
    .prepare('PRAGMA integrity_check')
    .all()
    .map((row) => String(row['integrity_check']));
  return found.length === 1 && found[0] === 'ok' ? [] : found;
}
