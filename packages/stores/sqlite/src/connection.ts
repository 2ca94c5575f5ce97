/**
 * Owns one open database file: its settings, its prepared statements, and whether the file is still the one at the path.
 */
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { StoreConfigurationError } from './configuration-error.ts';
import { isSameFile, statOf } from './corrupt-file.ts';
import { loadSqlite } from './load-sqlite.ts';
import { checkFile, migrate } from './migrate.ts';
import { createPrivateFile } from './private-file.ts';
import { traceSchema } from './schema.ts';
import type { Settings } from './settings.ts';

/** How long a statement may block the event loop for another process's lock. After that the writer waits without blocking. */
const busyTimeoutMs = 20;

export interface Connection {
  readonly database: DatabaseSync;
  /** Prepared once, then reused. */
  statement(sql: string): StatementSync;
  /** False if the file was deleted or replaced while the connection was open. */
  isCurrent(): boolean;
  close(): void;
}

/** Opens the file. Throws the error of SQLite or the file system, or a `StoreConfigurationError`. */
export function openConnection(settings: Pick<Settings, 'path' | 'durability' | 'readOnly'>): Connection {
  const { path, durability, readOnly } = settings;
  const before = statOf(path);
  if (before !== undefined && !before.isFile()) {
    throw new StoreConfigurationError(
      'HOLDFAST_STORE_PATH',
      `Trace store ${path} is ${before.isDirectory() ? 'a folder' : 'not a file'}; give the name of a file.`,
    );
  }
  if (readOnly && before === undefined) {
    throw new StoreConfigurationError('HOLDFAST_STORE_MISSING', `There is no trace store at ${path}.`);
  }
  if (!readOnly && before === undefined) {
    mkdirSync(dirname(path), { recursive: true });
    createPrivateFile(path);
  }
  const database = new (loadSqlite().DatabaseSync)(path, { readOnly, timeout: busyTimeoutMs });
  try {
    if (readOnly) checkFile(database, path, traceSchema);
    else prepareToWrite(database, path, durability);
  } catch (error) {
    database.close();
    throw error;
  }
  const opened = statOf(path);
  const statements = new Map<string, StatementSync>();
  return {
    database,
    statement(sql) {
      let statement = statements.get(sql);
      if (statement === undefined) {
        statement = database.prepare(sql);
        statements.set(sql, statement);
      }
      return statement;
    },
    isCurrent: () => isSameFile(statOf(path), opened),
    close() {
      statements.clear();
      if (database.isOpen) database.close();
    },
  };
}

function prepareToWrite(database: DatabaseSync, path: string, durability: Settings['durability']): void {
  // Before anything is changed: a file of another program must stay untouched.
  checkFile(database, path, traceSchema);
  // Must be set before the first table; has no effect on an existing file.
  database.exec('PRAGMA auto_vacuum = INCREMENTAL');
  database.exec('PRAGMA journal_mode = WAL');
  database.exec(`PRAGMA synchronous = ${durability === 'fsync' ? 'FULL' : 'NORMAL'}`);
  migrate(database, path, traceSchema);
}
