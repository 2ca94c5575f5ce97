/**
 * Owns when the log of a history is checkpointed: on a thread, that of a store if there is one, so that the event loop never waits for the disk.
 *
 * Invariant: if no thread can be started, SQLite checkpoints automatically.
 */
import type { DatabaseSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import { statOf } from '../corrupt-file.ts';
import { type SharedTask, sharedThread } from '../shared-thread.ts';

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
  /** The thread of a store that does it instead. */
  let lent: Worker | undefined;
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
    const started = new Worker(threadFile, { name: 'holdfast-history', execArgv: [] });
    started
      .on('message', () => (isBusy = false))
      .on('error', stopCheckpoints)
      .on('exit', stopCheckpoints)
      .unref();
    return started;
  };
  const onShared = (done: unknown): void => {
    if (done === path) isBusy = false;
  };
  const returnLent = (): void => {
    lent?.off('message', onShared).off('exit', returnLent);
    lent = undefined;
    isBusy = false;
  };
  const send = (): void => {
    if (lent === undefined && worker === undefined) lent = sharedThread()?.on('message', onShared).on('exit', returnLent);
    if (lent !== undefined) return lent.postMessage({ type: 'checkpoint', path } satisfies SharedTask);
    worker ??= startWorker();
    worker.postMessage(path);
  };

  return {
    committed() {
      if (isOver || isBusy || (statOf(`${path}-wal`)?.size ?? 0) < logBytes) return;
      isBusy = true;
      try {
        send();
      } catch {
        stopCheckpoints();
      }
    },
    stop() {
      isOver = true;
      void worker?.terminate();
      lent?.postMessage({ type: 'end', path } satisfies SharedTask);
      returnLent();
    },
  };
}
