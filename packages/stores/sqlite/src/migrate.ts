/**
 * Owns the migration of a file from an older version to this one. Does not own the tables: each kind of file defines its own.
 *
 * 1. `user_version` is the number of migrations done. They run in one transaction, so a file is never half migrated.
 * 2. A file of a newer version or of another program is refused and not changed.
 */
import type { DatabaseSync } from 'node:sqlite';
import { StoreConfigurationError } from './configuration-error.ts';

/** The tables of one kind of file. */
export interface FileSchema {
  /** Such as `trace store`, for messages. */
  readonly what: string;
  readonly applicationId: number;
  /** From one version to the next, beginning with an empty file. */
  readonly migrations: readonly string[];
}

/** The header of a file. */
interface FileHeader {
  readonly version: number;
  /** Its `application_id`. */
  readonly owner: number;
  /** Whether the file has tables. */
  readonly filled: boolean;
}

/**
 * One statement, so one snapshot. With several, the owner could be read before and the tables after another process's migration, and the
 * new file would look like one of another program.
 */
function headerOf(database: DatabaseSync): FileHeader {
  const row = database
    .prepare(
      `SELECT EXISTS (SELECT 1 FROM sqlite_schema) AS filled,
              (SELECT user_version FROM pragma_user_version) AS version,
              (SELECT application_id FROM pragma_application_id) AS owner`,
    )
    .get();
  return { version: Number(row?.['version']), owner: Number(row?.['owner']), filled: row?.['filled'] === 1 };
}

export function schemaVersionOf(database: DatabaseSync): number {
  return headerOf(database).version;
}

/** Returns the file's version. @throws StoreConfigurationError if the file is of another program or of a newer version. */
export function checkFile(database: DatabaseSync, path: string, { what, applicationId, migrations }: FileSchema): number {
  const { version, owner, filled } = headerOf(database);
  if ((filled || version > 0) && owner !== applicationId) {
    throw new StoreConfigurationError(
      'HOLDFAST_STORE_FOREIGN_FILE',
      `${path} is the database of another program; use another file for the ${what}.`,
    );
  }
  if (version > migrations.length) {
    throw new StoreConfigurationError(
      'HOLDFAST_STORE_NEWER_SCHEMA',
      `${what.charAt(0).toUpperCase()}${what.slice(1)} ${path} has schema version ${String(version)}, this version of @holdfast/store-sqlite knows ${String(migrations.length)}; update the package or use another file.`,
    );
  }
  return version;
}

/** @throws StoreConfigurationError if the file is of another program or of a newer version. */
export function migrate(database: DatabaseSync, path: string, schema: FileSchema): void {
  const { applicationId, migrations } = schema;
  const wanted = migrations.length;
  if (checkFile(database, path, schema) === wanted) return;
  database.exec('BEGIN IMMEDIATE');
  try {
    // Read again: another process may have migrated it while this one waited for the lock.
    for (const migration of migrations.slice(checkFile(database, path, schema))) database.exec(migration);
    database.exec(`PRAGMA application_id = ${String(applicationId)}; PRAGMA user_version = ${String(wanted)}; COMMIT`);
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}
