/** Starts, controls and kills processes with services that share their circuits. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Behaviour, CircuitWorkerOptions, Command, Look, Outcome } from './circuit-worker-program.ts';

const program = fileURLToPath(new URL('circuit-worker-program.ts', import.meta.url));

export interface CircuitWorker {
  readonly name: string;
  behave(tool: string, behaviour: Behaviour): Promise<void>;
  call(tool: string, count?: number): Promise<Outcome>;
  look(tool: string): Promise<Look>;
  /** SIGKILL. Resolves when the process has ended. */
  kill(): Promise<void>;
}

export const startCircuitWorker = async (name: string, options: CircuitWorkerOptions): Promise<CircuitWorker> => {
  const whole: CircuitWorkerOptions = { ...options, sharing: { worker: name, ...options.sharing } };
  const child = fork(program, [JSON.stringify(whole)], { execArgv: ['--conditions=@holdfast/source'] });
  const waiting = new Map<number, (answer: unknown) => void>();
  let last = 0;
  const answerTo = (id: number): Promise<unknown> => new Promise((resolve) => void waiting.set(id, resolve));
  const ready = answerTo(0);
  child.on('message', ({ id, answer }: { readonly id: number; readonly answer: unknown }) => waiting.get(id)?.(answer));
  const ask = (command: Command): Promise<unknown> => {
    last += 1;
    const answer = answerTo(last);
    child.send({ id: last, command });
    return answer;
  };
  await Promise.race([ready, once(child, 'exit').then(() => Promise.reject(new Error(`The worker ${name} ended`)))]);
  return {
    name,
    async behave(tool, behaviour) {
      await ask({ name: 'behave', tool, behaviour });
    },
    call: (tool, count = 1) => ask({ name: 'call', tool, count }) as Promise<Outcome>,
    look: (tool) => ask({ name: 'look', tool }) as Promise<Look>,
    async kill() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
};
