import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export interface Web {
  readonly port: number;
  readonly process: ChildProcess;
  readonly stop: () => Promise<void>;
}

/** Starts a server file of the fixtures that prints its port, and exits when its standard input ends. */
export async function startWeb(file: string, args: readonly string[] = []): Promise<Web> {
  const path = fileURLToPath(new URL(`../fixtures/${file}`, import.meta.url));
  const child = spawn(process.execPath, [path, ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
  const [chunk] = (await once(child.stdout, 'data')) as [Buffer];
  return {
    port: Number(String(chunk).trim()),
    process: child,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}
