/** Owns the typed form of `store`: a file, or a shared database. Defaults are filled in. */
import type { SecretReference, TextOrSecret } from '@holdfast/runners';

/** A trace store in a SQLite file. */
export interface SqliteStoreEntry {
  /** Absolute. @default '.holdfast/trace.db' beside the manifest */
  readonly path: string;
  /** @default 'normal' */
  readonly durability: 'normal' | 'fsync';
  /** Older turns are deleted. Infinity: never. @default 30 */
  readonly retentionDays?: number;
  /** Above this size of the file, the oldest turns that ended are deleted. Infinity: whatever its size. @default 1073741824 */
  readonly maxBytes?: number;
}

/** How a PostgreSQL database is reached. */
export interface PostgresEntry {
  /** Such as `postgres://holdfast@db.example.com:5432/holdfast`. */
  readonly url: TextOrSecret;
  /** Instead of the password in `url`. */
  readonly password?: SecretReference;
  /** Schema of its tables. @default 'holdfast' */
  readonly schema: string;
  /** Open connections of each process. @default 4 */
  readonly connections: number;
}

/** A trace store in a PostgreSQL database. */
export interface PostgresStoreEntry {
  /** How the database is reached. */
  readonly postgres: PostgresEntry;
  /** Older turns are deleted. Infinity: never. @default 30 */
  readonly retentionDays?: number;
}

/** Where traces are kept. An entry with `postgres` is a database, any other a file. */
export type StoreEntry = SqliteStoreEntry | PostgresStoreEntry;

export const sqliteDefaults: SqliteStoreEntry = { path: '.holdfast/trace.db', durability: 'normal' };
/** How long turns are kept if the manifest does not say it. */
export const defaultRetentionDays = 30;
/** The size of the file if the manifest does not say it: 1 GiB. */
export const defaultMaxBytes = 1_073_741_824;
export const postgresDefaults: Omit<PostgresEntry, 'url'> = { schema: 'holdfast', connections: 4 };

/** The tables have checked the values of the file; with the defaults they are complete. */
export function storeEntry(given: unknown, resolvePath: (path: string) => string): StoreEntry | false {
  if (given === false) return false;
  const retentionDays = defaultRetentionDays;
  if (typeof given === 'string') return { postgres: { ...postgresDefaults, url: given }, retentionDays };
  const { postgres, ...rest } = (given ?? {}) as Partial<SqliteStoreEntry> & { readonly postgres?: PostgresEntry | string };
  if (postgres === undefined)
    return { ...sqliteDefaults, path: resolvePath(sqliteDefaults.path), retentionDays, maxBytes: defaultMaxBytes, ...rest };
  return {
    postgres: { ...postgresDefaults, ...(typeof postgres === 'string' ? { url: postgres } : postgres) },
    retentionDays: rest.retentionDays ?? retentionDays,
  };
}
