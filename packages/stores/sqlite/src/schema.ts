/** Owns the tables of the trace store, in every version. */
import type { FileSchema } from './migrate.ts';

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

/** The application id is "HOLD". */
export const traceSchema: FileSchema = { what: 'trace store', applicationId: 0x48_4f_4c_44, migrations };

/** The schema version this package reads and writes. */
export const schemaVersion: number = migrations.length;
