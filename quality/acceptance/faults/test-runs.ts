/** Runs acceptance tests in a working copy, by a process that is replaced if a fault never lets it end. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Answer, Order } from './test-worker.ts';
import { triedTests } from './tried-tests.ts';

const longestMs = 180_000;

export interface TestRuns {
  /** Starts the process if there is none. Resolves to `'hung'` if the tests did not end. */
  run(order: Order): Promise<Answer | 'hung'>;
  /** Paths of all test files that a fault is tried with. */
  readonly files: readonly string[];
  stop(): void;
}

export function createTestRuns(root: string): TestRuns {
  const folder = join(root, 'quality/acceptance');
  let worker: ChildProcess | undefined;
  const stop = (): void => {
    // Its group, since the tests run in a process that it started.
    if (worker?.pid !== undefined && worker.exitCode === null) process.kill(-worker.pid, 'SIGKILL');
    worker = undefined;
  };
  const start = async (): Promise<ChildProcess> => {
    const started = fork(join(folder, 'faults/test-worker.ts'), {
      cwd: root,
      detached: true,
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    worker = started;
    await once(started, 'message');
    return started;
  };
  return {
    files: triedTests(folder).map((name) => join(folder, name)),
    async run(order) {
      const current = worker ?? (await start());
      current.send(order);
      const time = AbortSignal.timeout(longestMs);
      try {
        const [answer] = (await once(current, 'message', { signal: time })) as [Answer];
        return answer;
      } catch (error) {
        if (!time.aborted) throw error;
        stop();
        return 'hung';
      }
    },
    stop,
  };
}
