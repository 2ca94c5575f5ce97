/** Owns starting the programs beside this file in processes of their own, to be killed and stopped. */
import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

export interface Program {
  readonly child: ChildProcess;
  /** The lines it printed so far. */
  readonly lines: string[];
}

export function startProgram(program: string, ...parameters: readonly string[]): Program {
  const file = fileURLToPath(new URL(`${program}.ts`, import.meta.url));
  const child = spawn(process.execPath, ['--conditions=@holdfast/source', file, ...parameters], { stdio: ['ignore', 'pipe', 'inherit'] });
  const lines: string[] = [];
  let rest = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const parts = (rest + text).split('\n');
    rest = parts.pop() ?? '';
    lines.push(...parts);
  });
  const ended = new Promise((resolve) => child.once('close', resolve));
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  return { child, lines };
}

/** Waits until `holds`; fails after `limitMs`. */
export async function until(holds: () => boolean | Promise<boolean>, limitMs = 15_000): Promise<void> {
  const end = performance.now() + limitMs;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`not within ${String(limitMs)} ms: ${holds.toString()}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
