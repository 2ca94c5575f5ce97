import { Effect } from 'effect';
import type { Contender } from './contender.ts';
import { withCheck, timeLimitMs } from './contender.ts';

export const effect: Contender = {
  name: 'effect 4',
  configuration: '`tryPromise`, `timeout`, `retry`, `runPromise`; the program is built once; retry and timeout',
  retries: true,
  protect(job) {
    const work = withCheck(job);
    const program = Effect.tryPromise(() => work()).pipe(Effect.timeout(timeLimitMs), Effect.retry({ times: job.retriesAtOnce ?? 4 }));
    return { call: () => Effect.runPromise(program) };
  },
};
