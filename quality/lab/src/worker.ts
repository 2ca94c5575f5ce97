/** A program: one worker of the lab. */
import { parentPort } from 'node:worker_threads';
import type { Done, Task } from './job.ts';
import { runContest, runJob } from './run-job.ts';

parentPort?.on('message', ({ index, task }: { readonly index: number; readonly task: Task }) => {
  const outcome = 'random' in task ? Promise.resolve(runContest(task)) : runJob(task);
  void outcome.then((made) => parentPort?.postMessage({ index, outcome: made } satisfies Done));
});
