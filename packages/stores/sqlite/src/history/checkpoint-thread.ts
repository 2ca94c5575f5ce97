/** Owns the thread that brings a history's log into its file, since that waits for the disk. Does nothing of its own accord. */
import { parentPort, workerData } from 'node:worker_threads';
import { loadSqlite } from '../load-sqlite.ts';

const database = new (loadSqlite().DatabaseSync)(workerData as string, { timeout: 0 });

parentPort?.on('message', () => {
  database.exec('PRAGMA wal_checkpoint(PASSIVE)');
  parentPort?.postMessage('done');
});
