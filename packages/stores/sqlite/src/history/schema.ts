/** Owns the tables of the history, in every version. */
import type { FileSchema } from '../migrate.ts';
import { alertTables } from './alert-records.ts';

const migrations: readonly string[] = [
  `CREATE TABLE tools (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
   CREATE TABLE cells (
     level INTEGER NOT NULL,
     at INTEGER NOT NULL,
     tool INTEGER NOT NULL,
     counts TEXT NOT NULL,
     denied TEXT,
     errors TEXT,
     calls BLOB,
     attempts BLOB,
     PRIMARY KEY (level, at, tool)
   ) WITHOUT ROWID;
   CREATE TABLE turns (
     id INTEGER PRIMARY KEY,
     turn_id TEXT NOT NULL,
     started_at INTEGER NOT NULL,
     ended_at INTEGER,
     outcome TEXT,
     summary TEXT,
     calls INTEGER NOT NULL,
     events INTEGER NOT NULL,
     duration_ms REAL NOT NULL,
     retries INTEGER NOT NULL,
     failed INTEGER NOT NULL,
     skipped INTEGER NOT NULL,
     alternative INTEGER NOT NULL,
     deadline INTEGER NOT NULL,
     repaired INTEGER NOT NULL,
     tools TEXT NOT NULL,
     codes TEXT NOT NULL
   );
   CREATE UNIQUE INDEX turns_by_id ON turns (turn_id, started_at);
   CREATE INDEX turns_by_start ON turns (started_at, id);
   CREATE INDEX turns_retried ON turns (started_at, id) WHERE retries > 0;
   CREATE INDEX turns_deadline ON turns (started_at, id) WHERE deadline = 1;
   CREATE INDEX turns_repaired ON turns (started_at, id) WHERE repaired = 1;
   CREATE INDEX turns_alternative ON turns (started_at, id) WHERE alternative = 1;
   CREATE TABLE turn_names (
     kind INTEGER NOT NULL,
     name TEXT NOT NULL,
     started_at INTEGER NOT NULL,
     turn INTEGER NOT NULL,
     PRIMARY KEY (kind, name, started_at, turn)
   ) WITHOUT ROWID;
   CREATE TABLE circuit_changes (id INTEGER NOT NULL, tool INTEGER NOT NULL, at INTEGER NOT NULL, body TEXT NOT NULL);
   CREATE UNIQUE INDEX circuit_changes_by_tool ON circuit_changes (tool, at, id);
   CREATE TABLE clusters (signature TEXT PRIMARY KEY, last_seen INTEGER NOT NULL, body TEXT NOT NULL) WITHOUT ROWID;
   CREATE TABLE failures (id INTEGER PRIMARY KEY, tool INTEGER NOT NULL, at INTEGER NOT NULL, body TEXT NOT NULL);
   CREATE INDEX failures_by_tool ON failures (tool, id);
   CREATE TABLE slow_calls (id INTEGER PRIMARY KEY, tool INTEGER NOT NULL, at INTEGER NOT NULL, duration_ms REAL NOT NULL, body TEXT NOT NULL);
   CREATE INDEX slow_calls_by_tool ON slow_calls (tool, at);
   CREATE TABLE changes (id INTEGER NOT NULL, at INTEGER NOT NULL, body TEXT NOT NULL);
   CREATE UNIQUE INDEX changes_by_time ON changes (at, id);
   CREATE TABLE marks (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
   ${alertTables}`,
  'ALTER TABLE turns ADD COLUMN waited_ms REAL NOT NULL DEFAULT 0;',
];

/** The application id is "HFHI". */
export const historySchema: FileSchema = { what: 'history', applicationId: 0x48_46_48_49, migrations };
