/** Owns distributing runs over the machine's cores. The results are in the order of the jobs, for any number of workers. */
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { RunMetrics } from '@holdfast/simulate';
import type { Done, Job } from './job.ts';

export async function runAll(jobs: readonly Job[], progress: (done: number) => void = () => undefined): Promise<readonly RunMetrics[]> {
  const results: (RunMetrics | undefined)[] = jobs.map(() => undefined);
  let next = 0;
  let finished = 0;
  const work = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const worker = new Worker(new URL('./worker.ts', import.meta.url));
      const give = (): void => {
        const index = next;
        const job = jobs[index];
        next += 1;
        if (job) worker.postMessage({ index, job });
        else void worker.terminate().then(() => resolve());
      };
      worker.on('error', reject);
      worker.on('message', ({ index, metrics }: Done) => {
        results[index] = metrics;
        finished += 1;
        progress(finished);
        give();
      });
      give();
    });
  await Promise.all(Array.from({ length: Math.min(jobs.length, availableParallelism()) }, work));
  return results.filter((result) => result !== undefined);
}
