/** Owns the thread that checkpoints a history's log, since that waits for the disk. It acts on messages only. */
import { parentPort, workerData } from 'node:worker_threads';
import { loadSqlite } from '../load-sqlite.ts';

const database = new (loadSqlite().DatabaseSync)(workerData as string, { timeout: 0 });

parentPort?.on('message', () => {
  database.exec('PRAGMA wal_checkpoint(PASSIVE)');
  parentPort?.postMessage('done');
});
