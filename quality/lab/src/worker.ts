/** A program: one worker of the lab. */
import { parentPort } from 'node:worker_threads';
import type { Done, Job } from './job.ts';
import { runJob } from './run-job.ts';

parentPort?.on('message', ({ index, job }: { readonly index: number; readonly job: Job }) => {
  void runJob(job).then((metrics) => parentPort?.postMessage({ index, metrics } satisfies Done));
});
