/** No library: the cost of the work itself, and of minimal hand-written protection. */
import type { Contender, Job, ProtectedJob } from './contender.ts';
import { withCheck, timeLimitMs } from './contender.ts';

export const bare: Contender = {
  name: 'bare',
  configuration: 'the work, awaited',
  retries: false,
  protect: (job) => ({ call: withCheck(job) }),
};

export const handLoop: Contender = {
  name: 'hand loop',
  configuration: '`try` in a loop, a counter',
  retries: true,
  protect: (job) => loopOf(job, withCheck(job)),
};

export const handLoopTimed: Contender = {
  name: 'hand loop, timed',
  configuration: 'the hand loop and one `setTimeout` per attempt',
  retries: true,
  protect: (job) => loopOf(job, withTimeLimit(withCheck(job))),
};

function loopOf({ retriesAtOnce = 4 }: Job, work: () => Promise<unknown>): ProtectedJob {
  return {
    async call() {
      for (let attempt = 1; ; attempt += 1) {
        try {
          return await work();
        } catch (error) {
          if (attempt > retriesAtOnce) throw error;
        }
      }
    },
  };
}

function withTimeLimit(work: () => Promise<unknown>): () => Promise<unknown> {
  return () =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error('timeout')), timeLimitMs);
      work().then(
        (value) => {
          clearTimeout(timer);
          resolve(value);
        },
        (error: unknown) => {
          clearTimeout(timer);
          reject(error as Error);
        },
      );
    });
}
