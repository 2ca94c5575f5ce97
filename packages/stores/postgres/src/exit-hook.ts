/**
 * Owns the one `beforeExit` listener, however many stores are open: what is queued is written before the process ends.
 * `process.exit()` leaves no time for that.
 */
const pending = new Set<() => void>();

const runAll = (): void => {
  for (const task of pending) task();
};

/** Runs `task` whenever the process has nothing left to do. Returns a function that removes it. */
export function onIdleProcess(task: () => void): () => void {
  if (pending.size === 0) process.on('beforeExit', runAll);
  pending.add(task);
  return () => {
    pending.delete(task);
    if (pending.size === 0) process.off('beforeExit', runAll);
  };
}
