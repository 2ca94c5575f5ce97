/**
 * Owns how a file of ours comes from an older version to this one; which tables there are is each file's own business.
 *
 * 1. `user_version` is the number of migrations done. They run in one transaction, so a file is never half migrated.
 * 2. A file that `check` refuses is left as it is.
 */
import type { DatabaseSync } from 'node:sqlite';

/** What a file says of itself. */
export interface FileHeader {
  readonly version: number;
  /** Its `application_id`. */
  readonly owner: number;
  /** There is something in it. */
  readonly filled: boolean;
}

/**
 * One statement, so one snapshot: read one after the other, the owner could be from before and the tables from after another
 * process's migration, and its new file would look like a stranger's.
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
  /** Throws where the file is not to be touched. */
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
