/** Owns distributing tasks over the machine's cores. The results are in the order of the tasks, for any number of workers. */
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { Done, Outcome, Task } from './job.ts';

export async function runAll<Of extends Task>(
  tasks: readonly Of[],
  progress: (done: number) => void = () => undefined,
): Promise<readonly Outcome<Of>[]> {
  const results: (Done['outcome'] | undefined)[] = tasks.map(() => undefined);
  let next = 0;
  let finished = 0;
  const work = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const worker = new Worker(new URL('./worker.ts', import.meta.url));
      const give = (): void => {
        const index = next;
        const task = tasks[index];
        next += 1;
        if (task) worker.postMessage({ index, task });
        else void worker.terminate().then(() => resolve());
      };
      worker.on('error', reject);
      worker.on('message', ({ index, outcome }: Done) => {
        results[index] = outcome;
        finished += 1;
        progress(finished);
        give();
      });
      give();
    });
  await Promise.all(Array.from({ length: Math.min(tasks.length, availableParallelism()) }, work));
  // Each worker answers a task with what its kind of task has as its outcome.
  return results.filter((result) => result !== undefined) as readonly unknown[] as readonly Outcome<Of>[];
}
