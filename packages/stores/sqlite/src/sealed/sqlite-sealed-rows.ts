/**
 * Owns sealed rows in a SQLite file of their own.
 *
 * Invariants
 * 1. Only the user of this process can read the file and its journal.
 * 2. A lock of another process never blocks the event loop: the statement is tried again later.
 * 3. The file is opened at the first use; a file of another program is not touched.
 */
import { chmodSync, closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SealedRow, SealedRows, SealedWrite } from '@holdfast/core/store';
import { checkOptions } from '@holdfast/core/internal/plain';
import { resultCode } from '../faults.ts';
import { loadSqlite } from '../load-sqlite.ts';
import { type FileSchema, migrate } from '../migrate.ts';

/** The file of sealed rows. */
export interface SqliteSealedRowsOptions {
  /** Path of the file; its folder is created. */
  readonly path: string;
  /** Milliseconds since 1970. @default Date.now */
  readonly now?: () => number;
}

/** The application id is "HOLS". */
const schema: FileSchema = {
  what: 'credential store',
  applicationId: 0x48_4f_4c_53,
  migrations: [
    `CREATE TABLE sealed_rows (key TEXT PRIMARY KEY, sealed TEXT NOT NULL, version TEXT NOT NULL, expires_at INTEGER) WITHOUT ROWID;
     CREATE TABLE leases (key TEXT PRIMARY KEY, holder TEXT NOT NULL, until INTEGER NOT NULL) WITHOUT ROWID;`,
  ],
};

const busy: ReadonlySet<number | undefined> = new Set([5, 6]);
const pauseMs = 10;
const maxWaitMs = 5_000;

/** Opens the file at the first use. */
export function sqliteSealedRows(options: SqliteSealedRowsOptions): SealedRows {
  checkOptions({ path: 'string', now: 'function' }, options, 'sqliteSealedRows', ['path']);
  const { path, now = Date.now } = options;
  let opened: DatabaseSync | undefined;
  let isClosed = false;

  const use = async <Result>(work: (database: DatabaseSync) => Result): Promise<Result> => {
    const giveUpAt = performance.now() + maxWaitMs;
    for (;;) {
      try {
        if (isClosed) throw new Error(`The credential store ${path} is closed`);
        return work((opened ??= open(path)));
      } catch (error) {
        if (!busy.has(resultCode(error)) || performance.now() > giveUpAt) throw error;
      }
      await sleep(pauseMs);
    }
  };
  return {
    read: (key) => use((database) => readRow(database, key, now())),
    keys: (prefix) => use((database) => keysOf(database, prefix, now())),
    write: (key, sealed, how = {}) => use((database) => writeRow(database, key, sealed, how, now())),
    delete: (key, expected) =>
      use((database) => {
        const { changes } = database
          .prepare('DELETE FROM sealed_rows WHERE key = ?1 AND (?2 IS NULL OR version = ?2)')
          .run(key, expected ?? null);
        return Number(changes) > 0;
      }),
    acquire: (key, holder, ttlMs) => use((database) => takeLease(database, key, holder, now(), ttlMs)),
    release: (key, holder) =>
      use((database) => {
        database.prepare('DELETE FROM leases WHERE key = ? AND holder = ?').run(key, holder);
      }),
    async close() {
      isClosed = true;
      opened?.close();
      opened = undefined;
    },
  };
}

function open(path: string): DatabaseSync {
  mkdirSync(dirname(path), { recursive: true });
  // SQLite gives its journal the mode of the file.
  if (existsSync(path)) chmodSync(path, 0o600);
  else closeSync(openSync(path, 'a', 0o600));
  const database = new (loadSqlite().DatabaseSync)(path, { timeout: 0 });
  try {
    database.exec('PRAGMA secure_delete = ON; PRAGMA synchronous = FULL');
    migrate(database, path, schema);
  } catch (error) {
    database.close();
    throw error;
  }
  return database;
}

function readRow(database: DatabaseSync, key: string, now: number): SealedRow | undefined {
  const row = database
    .prepare('SELECT sealed, version FROM sealed_rows WHERE key = ? AND (expires_at IS NULL OR expires_at > ?)')
    .get(key, now);
  return row === undefined ? undefined : { sealed: String(row['sealed']), version: String(row['version']) };
}

function keysOf(database: DatabaseSync, prefix: string, now: number): readonly string[] {
  const rows = database
    .prepare('SELECT key FROM sealed_rows WHERE substr(key, 1, length(?1)) = ?1 AND (expires_at IS NULL OR expires_at > ?2) ORDER BY key')
    .all(prefix, now);
  return rows.map((row) => String(row['key']));
}

function writeRow(
  database: DatabaseSync,
  key: string,
  sealed: string,
  { expected, expiresInMs }: SealedWrite,
  now: number,
): string | undefined {
  const version = randomUUID();
  const expiresAt = expiresInMs === undefined ? null : now + expiresInMs;
  database.exec('BEGIN IMMEDIATE');
  try {
    database.prepare('DELETE FROM sealed_rows WHERE expires_at <= ?').run(now);
    const current = readRow(database, key, now)?.version ?? null;
    const isExpected = expected === undefined || expected === current;
    if (isExpected)
      database
        .prepare('INSERT OR REPLACE INTO sealed_rows (key, sealed, version, expires_at) VALUES (?, ?, ?, ?)')
        .run(key, sealed, version, expiresAt);
    database.exec('COMMIT');
    return isExpected ? version : undefined;
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}

function takeLease(database: DatabaseSync, key: string, holder: string, now: number, ttlMs: number): boolean {
  const { changes } = database
    .prepare(
      `INSERT INTO leases (key, holder, until) VALUES (?1, ?2, ?4)
       ON CONFLICT (key) DO UPDATE SET holder = excluded.holder, until = excluded.until
       WHERE leases.holder = excluded.holder OR leases.until <= ?3 OR leases.until > ?3 + 600000`,
    )
    .run(key, holder, now, now + ttlMs);
  return Number(changes) > 0;
}
