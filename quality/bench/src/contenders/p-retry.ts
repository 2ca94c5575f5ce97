import pRetry from 'p-retry';
import pTimeout from 'p-timeout';
import type { Contender } from './contender.ts';
import { withCheck, timeLimitMs } from './contender.ts';

export const pRetryAlone: Contender = {
  name: 'p-retry 9',
  configuration: '`pRetry(work, { retries, minTimeout: 0 })`; retry only',
  retries: true,
  protect(job) {
    const work = withCheck(job);
    const options = { retries: job.retriesAtOnce ?? 4, minTimeout: 0 };
    return { call: () => pRetry(work, options) };
  },
};

export const pRetryTimed: Contender = {
  name: 'p-retry 9 + p-timeout 8',
  configuration: '`pRetry(() => pTimeout(work(), …))`; retry and timeout',
  retries: true,
  protect(job) {
    const work = withCheck(job);
    const options = { retries: job.retriesAtOnce ?? 4, minTimeout: 0 };
    return { call: () => pRetry(() => pTimeout(work(), { milliseconds: timeLimitMs }), options) };
  },
};
