/**
 * Owns the one listener for the natural end of the process, however many stores are open: what is queued is written before it goes.
 * A process that calls `process.exit()` gives no time for that.
 */
const pending = new Set<() => void>();

const runAll = (): void => {
  for (const task of pending) task();
};

/** Runs `task` whenever the process has nothing left to do. Answers how to take it back. */
export function onIdleProcess(task: () => void): () => void {
  if (pending.size === 0) process.on('beforeExit', runAll);
  pending.add(task);
  return () => {
    pending.delete(task);
    if (pending.size === 0) process.off('beforeExit', runAll);
  };
}
