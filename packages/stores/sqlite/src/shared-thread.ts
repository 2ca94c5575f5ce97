/**
 * Owns lending the thread of a store to the history of the same process: a thread of its own takes about ten megabytes.
 *
 * Invariant: the thread does one after the other, so the store's writes wait for a checkpoint, but the event loop does not.
 */
import type { Worker } from 'node:worker_threads';

/** What a thread of a store does for others. Answered with the path when it is done. */
export interface SharedTask {
  readonly type: 'checkpoint' | 'end';
  readonly path: string;
}

const threads = new Set<Worker>();

/** Lends the thread until it ends. */
export function shareThread(thread: Worker): void {
  threads.add(thread);
  thread.on('exit', () => threads.delete(thread));
}

/** A thread of a store of this process, if there is one. */
export const sharedThread = (): Worker | undefined => threads.values().next().value;
