/** Owns worker processes of a test: starting, killing, and their output. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { WorkerLogEntry } from '@holdfast/durable';
import type { WorkerProgramOptions } from './worker-program.ts';

const program = fileURLToPath(new URL('worker-program.ts', import.meta.url));

interface Line {
  readonly port?: number;
  readonly log?: WorkerLogEntry;
  readonly ended?: boolean;
}

export interface WorkerProcess {
  readonly port: number;
  readonly pid: number;
  readonly logs: readonly WorkerLogEntry[];
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void;
  kill(): Promise<void>;
  /** Shuts down; returns the result of the worker's `close`. */
  end(): Promise<boolean | undefined>;
}

const ended = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
};

export const startWorker = async (options: WorkerProgramOptions): Promise<WorkerProcess> => {
  const child = spawn(process.execPath, ['--conditions=@holdfast/source', program, JSON.stringify(options)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const logs: WorkerLogEntry[] = [];
  const killAtExit = (): void => void child.kill('SIGKILL');
  process.once('exit', killAtExit);
  child.once('exit', () => process.removeListener('exit', killAtExit));
  let drained: boolean | undefined;
  const port = await new Promise<number>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`The worker ended with ${String(code)}`)));
    createInterface({ input: child.stdout }).on('line', (text) => {
      const line = JSON.parse(text) as Line;
      if (line.log !== undefined) logs.push(line.log);
      if (line.ended !== undefined) drained = line.ended;
      if (line.port !== undefined) resolve(line.port);
    });
  });
  return {
    port,
    pid: child.pid ?? 0,
    logs,
    signal: (signal) => void child.kill(signal),
    kill: async () => {
      child.kill('SIGKILL');
      await ended(child);
    },
    end: async () => {
      child.kill('SIGTERM');
      await ended(child);
      return drained;
    },
  };
};
