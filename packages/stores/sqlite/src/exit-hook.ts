/**
 * Owns the one `exit` listener, however many stores are open: what is queued is written before the process ends.
 */
const pending = new Set<() => void>();

const runAll = (): void => {
  for (const task of pending) task();
};

/** Runs `task` when the process exits, also through `process.exit()`. Returns a function that removes it. */
export function onExit(task: () => void): () => void {
  if (pending.size === 0) process.on('exit', runAll);
  pending.add(task);
  return () => {
    pending.delete(task);
    if (pending.size === 0) process.off('exit', runAll);
  };
}
