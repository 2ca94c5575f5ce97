/**
 * Owns when the log of a history is checkpointed: on a separate thread, so that the event loop never waits for the disk.
 *
 * Invariant: if no thread can be started, SQLite checkpoints automatically.
 */
import type { DatabaseSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import { statOf } from '../corrupt-file.ts';

const logBytes = 4 * 1024 * 1024;
/** SQLite's default. */
const standardPages = 1_000;

const unbuilt = import.meta.url.endsWith('.ts');
const threadFile = new URL(unbuilt ? './checkpoint-thread.ts' : './checkpoint-thread.js', import.meta.url);

export interface Checkpoints {
  /** Something was committed. */
  committed(): void;
  stop(): void;
}

export function createCheckpoints(database: DatabaseSync, path: string): Checkpoints {
  let worker: Worker | undefined;
  let isBusy = false;
  let isOver = false;
  database.exec('PRAGMA wal_autocheckpoint = 0');

  const stopCheckpoints = (): void => {
    worker = undefined;
    if (isOver || !database.isOpen) return;
    isOver = true;
    database.exec(`PRAGMA wal_autocheckpoint = ${String(standardPages)}`);
  };
  const startWorker = (): Worker => {
    const started = new Worker(threadFile, { name: 'holdfast-history', workerData: path, execArgv: [] });
    started
      .on('message', () => (isBusy = false))
      .on('error', stopCheckpoints)
      .on('exit', stopCheckpoints)
      .unref();
    return started;
  };

  return {
    committed() {
      if (isOver || isBusy || (statOf(`${path}-wal`)?.size ?? 0) < logBytes) return;
      isBusy = true;
      try {
        worker ??= startWorker();
        worker.postMessage('checkpoint');
      } catch {
        stopCheckpoints();
      }
    },
    stop() {
      isOver = true;
      void worker?.terminate();
    },
  };
}
