/**
 * Owns the statistics of the database.
 */
import type { Session } from './database/session.ts';
import type { PostgresWriterStats } from './writer.ts';

/** What the database holds. */
export interface DatabaseStats {
  /** Which database, without secrets: `postgres://user@host:5432/database`. */
  readonly place: string;
  /** Version of the tables. */
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
  /** Of all tables and indexes of the schema. */
  readonly bytes: number;
  /** Days of which there is a table of events. */
  readonly days: number;
}

/** `buffered`, `bufferedBytes`, `written` and `batches` count from when this store was opened; the rest is of the database. */
export interface PostgresStats extends PostgresWriterStats, DatabaseStats {}

export async function storeStats(session: Session, schema: string, place: string): Promise<DatabaseStats> {
  const { rows } = await session.query(
    `SELECT count(*) AS turns, coalesce(sum(events), 0) AS events, min(started_at) AS oldest, max(started_at) AS newest,
       (SELECT count(*) FROM ${schema}.circuits) AS circuits,
       (SELECT version FROM ${schema}.schema_versions WHERE component = 'trace') AS version,
       (SELECT count(*) FROM pg_inherits WHERE inhparent = $1::regclass) AS days,
       (SELECT sum(pg_total_relation_size(oid)) FROM pg_class WHERE relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = $1::regclass)
          AND relkind IN ('r', 'm', 'S')) AS bytes
     FROM ${schema}.turns`,
    [`${schema}.events`],
  );
  const row = rows[0] ?? {};
  const numberOf = (column: string): number => Number(row[column] ?? 0);
  return {
    place,
    schemaVersion: numberOf('version'),
    turns: numberOf('turns'),
    events: numberOf('events'),
    circuits: numberOf('circuits'),
    ...(row['oldest'] === null ? {} : { oldestTurnAt: numberOf('oldest'), newestTurnAt: numberOf('newest') }),
    bytes: numberOf('bytes'),
    days: numberOf('days'),
  };
}
