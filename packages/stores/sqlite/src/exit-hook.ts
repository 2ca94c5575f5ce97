/**
 * Owns the one listener for the end of the process, however many stores are open: what is queued is written before it goes.
 */
const pending = new Set<() => void>();

const runAll = (): void => {
  for (const task of pending) task();
};

/** Runs `task` when the process exits, also through `process.exit()`. Answers how to take it back. */
export function onExit(task: () => void): () => void {
  if (pending.size === 0) process.on('exit', runAll);
  pending.add(task);
  return () => {
    pending.delete(task);
    if (pending.size === 0) process.off('exit', runAll);
  };
}
