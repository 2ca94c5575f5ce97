/** Owns checkpointing logs on a thread, since that waits for the disk. */
import type { DatabaseSync } from 'node:sqlite';
import { loadSqlite } from '../load-sqlite.ts';

const databases = new Map<string, DatabaseSync>();

/** Brings the log of a database into its file as far as others do not need it. */
export function checkpoint(path: string): void {
  let database = databases.get(path);
  if (database === undefined) databases.set(path, (database = new (loadSqlite().DatabaseSync)(path, { timeout: 0 })));
  database.exec('PRAGMA wal_checkpoint(PASSIVE)');
}

export function endCheckpoints(path: string): void {
  databases.get(path)?.close();
  databases.delete(path);
}
