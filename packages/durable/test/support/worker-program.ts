/** A worker as a process: `node worker-program.ts '{ toolLog, … }'`. Prints its address and its faults as lines of JSON. */
import { ToolExecutionService, type ToolPolicy } from '@holdfast/core';
import { createTurnWorker } from '@holdfast/durable';
import { createTools, throwing } from './tools.ts';

export interface WorkerProgramOptions {
  readonly toolLog: string;
  readonly policy?: ToolPolicy;
  /** Tools that this version lacks. */
  readonly without?: readonly string[];
  readonly pauseAfterRetries?: number;
  readonly drainMs?: number;
}

const options = JSON.parse(process.argv[2] ?? '{}') as WorkerProgramOptions;
const say = (line: unknown): void => void process.stdout.write(`${JSON.stringify(line)}\n`);

const tools = [...createTools(options.toolLog), throwing].filter(({ name }) => options.without?.includes(name) !== true);
const service = new ToolExecutionService({ tools, seed: 'chaos', policy: { breaker: false, ...options.policy } });
const { pauseAfterRetries, drainMs } = options;
const worker = await createTurnWorker({
  service,
  onLog: (log) => say({ log }),
  ...(pauseAfterRetries === undefined ? {} : { pauseAfterRetries }),
  ...(drainMs === undefined ? {} : { drainMs }),
});
say({ port: worker.port });

process.once('SIGTERM', () => {
  void worker.close().then(async (ended) => {
    await service.close();
    say({ ended });
    // As in a real program: work that is still running has been taken over by another worker.
    process.exit();
  });
});
