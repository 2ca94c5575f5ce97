/** Owns the open database of a history: its settings, its prepared statements, the ids of the tools. */
import { toStoredText } from '@holdfast/core/internal/store';
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { StoreConfigurationError } from '../configuration-error.ts';
import { statOf } from '../corrupt-file.ts';
import { loadSqlite } from '../load-sqlite.ts';
import { migrate } from '../migrate.ts';
import { createPrivateFile } from '../private-file.ts';
import { type Checkpoints, createCheckpoints } from './checkpoints.ts';
import type { HistoryConnection } from './history-connection.ts';
import { historySchema } from './schema.ts';

/** How long a statement may block the event loop for another process's lock. */
const busyTimeoutMs = 20;
const pageBytes = 4_096;
const cachePages = 1_000;

export const memoryPath = ':memory:';

/** @throws the error of SQLite or the file system, or StoreConfigurationError. */
export function openHistory(path: string): HistoryConnection {
  if (path !== memoryPath) prepareFile(path);
  const database = new (loadSqlite().DatabaseSync)(path, { timeout: busyTimeoutMs });
  try {
    database.exec(`PRAGMA page_size = ${String(pageBytes)}; PRAGMA auto_vacuum = INCREMENTAL; PRAGMA cache_size = ${String(cachePages)}`);
    migrate(database, path, historySchema);
    if (path !== memoryPath) database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA journal_size_limit = 8388608');
  } catch (error) {
    database.close();
    throw error;
  }
  return connectionOf(database, path === memoryPath ? undefined : createCheckpoints(database, path));
}

function prepareFile(path: string): void {
  const found = statOf(path);
  if (found !== undefined && !found.isFile())
    throw new StoreConfigurationError(
      'HOLDFAST_STORE_PATH',
      `History ${path} is ${found.isDirectory() ? 'a folder' : 'not a file'}; give the name of a file.`,
    );
  mkdirSync(dirname(path), { recursive: true });
  createPrivateFile(path);
}

function connectionOf(database: DatabaseSync, checkpoints: Checkpoints | undefined): HistoryConnection {
  const statements = new Map<string, StatementSync>();
  const tools = new Map<string, number>();
  const statement = (sql: string): StatementSync => {
    const known = statements.get(sql) ?? database.prepare(sql);
    statements.set(sql, known);
    return known;
  };
  const knownTool = (name: string): number | undefined => {
    const known = tools.get(name);
    if (known !== undefined) return known;
    const found = statement('SELECT id FROM tools WHERE name = ?').get(toStoredText(name))?.['id'];
    if (typeof found === 'number') tools.set(name, found);
    return typeof found === 'number' ? found : undefined;
  };
  return {
    database,
    statement,
    knownTool,
    toolNumber(name) {
      const known = knownTool(name);
      if (known !== undefined) return known;
      const made = Number(statement('INSERT INTO tools (name) VALUES (?)').run(toStoredText(name)).lastInsertRowid);
      tools.set(name, made);
      return made;
    },
    commit() {
      database.exec('COMMIT');
      checkpoints?.committed();
    },
    rollBack() {
      tools.clear();
      if (database.isTransaction) database.exec('ROLLBACK');
    },
    close() {
      checkpoints?.stop();
      statements.clear();
      if (database.isOpen) database.close();
    },
  };
}
