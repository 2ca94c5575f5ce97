/**
 * Owns the migration of a file from an older version to this one. Does not own the tables: each file defines its own.
 *
 * 1. `user_version` is the number of migrations done. They run in one transaction, so a file is never half migrated.
 * 2. A file that `check` refuses is not changed.
 */
import type { DatabaseSync } from 'node:sqlite';

/** The header of a file. */
export interface FileHeader {
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
export function headerOf(database: DatabaseSync): FileHeader {
  const row = database
    .prepare(
      `SELECT EXISTS (SELECT 1 FROM sqlite_schema) AS filled,
              (SELECT user_version FROM pragma_user_version) AS version,
              (SELECT application_id FROM pragma_application_id) AS owner`,
    )
    .get();
  return { version: Number(row?.['version']), owner: Number(row?.['owner']), filled: row?.['filled'] === 1 };
}

export interface MigrationPlan {
  readonly applicationId: number;
  readonly migrations: readonly string[];
  /** Throws if the file must not be changed. */
  readonly check: (header: FileHeader) => void;
}

export function runMigrations(database: DatabaseSync, { applicationId, migrations, check }: MigrationPlan): void {
  const checkedVersion = (): number => {
    const header = headerOf(database);
    check(header);
    return header.version;
  };
  const wanted = migrations.length;
  if (checkedVersion() === wanted) return;
  database.exec('BEGIN IMMEDIATE');
  try {
    // Read again: another process may have migrated it while this one waited for the lock.
    for (const migration of migrations.slice(checkedVersion())) database.exec(migration);
    database.exec(`PRAGMA application_id = ${String(applicationId)}; PRAGMA user_version = ${String(wanted)}; COMMIT`);
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}
