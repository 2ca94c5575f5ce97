/**
 * Owns the tables of the trace store, in every version. A file of a newer version or of another program is refused and not changed.
 */
import type { DatabaseSync } from 'node:sqlite';
import { StoreConfigurationError } from './configuration-error.ts';
import { type FileHeader, headerOf, runMigrations } from './run-migrations.ts';

/** "HOLD" */
const applicationId = 0x48_4f_4c_44;

const migrations: readonly string[] = [
  `CREATE TABLE writers (
     id INTEGER PRIMARY KEY AUTOINCREMENT,
     instance TEXT NOT NULL UNIQUE,
     machine TEXT NOT NULL,
     pid INTEGER NOT NULL,
     process_start TEXT NOT NULL,
     heartbeat_at INTEGER NOT NULL,
     closed_at INTEGER
   );
   CREATE TABLE turns (
     run INTEGER PRIMARY KEY AUTOINCREMENT,
     turn_id TEXT NOT NULL,
     writer INTEGER NOT NULL,
     started_at INTEGER NOT NULL,
     last_at INTEGER NOT NULL,
     ended_at INTEGER,
     outcome TEXT,
     summary TEXT,
     planned INTEGER NOT NULL DEFAULT 0,
     completed INTEGER NOT NULL DEFAULT 0,
     events INTEGER NOT NULL DEFAULT 0
   );
   CREATE INDEX turns_by_id ON turns (turn_id, run);
   CREATE INDEX turns_by_start ON turns (started_at, run);
   CREATE TABLE events (
     id INTEGER PRIMARY KEY,
     run INTEGER NOT NULL,
     seq INTEGER NOT NULL,
     type TEXT NOT NULL,
     tool_id TEXT,
     call_id TEXT,
     at_ms INTEGER NOT NULL,
     body TEXT NOT NULL
   );
   CREATE UNIQUE INDEX events_by_turn ON events (run, seq);
   CREATE INDEX events_by_time ON events (at_ms);
   CREATE INDEX events_by_call ON events (call_id, id) WHERE type IN ('CallStarted', 'CallCompleted');
   CREATE TABLE circuits (tool_id TEXT PRIMARY KEY, saved_at INTEGER NOT NULL, snapshot TEXT NOT NULL) WITHOUT ROWID;
   CREATE TABLE expired_runs (run INTEGER PRIMARY KEY);
   CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;`,
  `ALTER TABLE turns ADD COLUMN execution TEXT;
   CREATE UNIQUE INDEX turns_by_execution ON turns (turn_id, execution) WHERE execution IS NOT NULL;
   ALTER TABLE events ADD COLUMN writer INTEGER;`,
  `CREATE TABLE memory (key TEXT PRIMARY KEY, saved_at INTEGER NOT NULL, entry TEXT NOT NULL) WITHOUT ROWID;`,
];

/** The version that brought the table of episodic memory. */
export const memorySince = 3;

/** The schema version this package reads and writes. */
export const schemaVersion: number = migrations.length;

export function schemaVersionOf(database: DatabaseSync): number {
  return headerOf(database).version;
}

/** Throws a `StoreConfigurationError` if the file is of another program or of a newer version. */
export function checkFile(database: DatabaseSync, path: string): void {
  checkHeader(headerOf(database), path);
}

export function migrate(database: DatabaseSync, path: string): void {
  runMigrations(database, { applicationId, migrations, check: (header) => checkHeader(header, path) });
}

function checkHeader({ version, owner, filled }: FileHeader, path: string): void {
  if (version > schemaVersion) {
    throw new StoreConfigurationError(
      'HOLDFAST_STORE_NEWER_SCHEMA',
      `Trace store ${path} has schema version ${String(version)}, this version of @holdfast/store-sqlite knows ${String(schemaVersion)}; update the package or use another file.`,
    );
  }
  if (filled && owner !== applicationId) {
    throw new StoreConfigurationError(
      'HOLDFAST_STORE_FOREIGN_FILE',
      `${path} is the database of another program; use another file for the trace store.`,
    );
  }
}
