/** Owns the thread that checkpoints a history's log if no store has a thread. It acts on messages only. */
import { parentPort } from 'node:worker_threads';
import { checkpoint } from './checkpoint.ts';

parentPort?.on('message', (path: string) => {
  checkpoint(path);
  parentPort?.postMessage('done');
});
