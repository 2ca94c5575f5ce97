/** Owns one listener on the process for many tasks, such as writing the queues of all open stores before it ends. */

/** What a process offers: `process` of Node has it. */
export interface ListenedProcess {
  /** Adds a listener. */
  on(event: string, listener: () => void): unknown;
  /** Removes a listener. */
  off(event: string, listener: () => void): unknown;
}

/**
 * Returns a function that runs a task at every `event`: it adds the task, and returns a function that removes it. The process has one listener while there are
 * tasks, and none otherwise.
 */
export function sharedListener(process: ListenedProcess, event: string): (task: () => void) => () => void {
  const tasks = new Set<() => void>();
  const runAll = (): void => {
    for (const task of tasks) task();
  };
  return (task) => {
    if (tasks.size === 0) process.on(event, runAll);
    tasks.add(task);
    return () => {
      if (tasks.delete(task) && tasks.size === 0) process.off(event, runAll);
    };
  };
}
