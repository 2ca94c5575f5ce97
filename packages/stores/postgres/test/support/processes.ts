import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

export interface Program {
  readonly child: ChildProcess;
  /** The lines it printed so far. */
  readonly lines: string[];
  readonly errors: string[];
  line(wanted: (line: string) => boolean): Promise<string>;
  readonly ended: Promise<{ readonly code: number | null; readonly signal: string | null }>;
}

/** Many processes load the same sources: they are compiled once. */
const compileCache = fileURLToPath(new URL('../../../../../node_modules/.cache/compile', import.meta.url));

/** Starts one of the programs beside this file in a process of its own. */
export function start(
  program: string,
  parameters: readonly string[],
  options: SpawnOptions = {},
  node: string = process.execPath,
): Program {
  const file = fileURLToPath(new URL(`${program}.ts`, import.meta.url));
  const child = spawn(node, ['--conditions=@holdfast/source', file, ...parameters], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...process.env, NODE_COMPILE_CACHE: compileCache },
    ...options,
  });
  const lines: string[] = [];
  const errors: string[] = [];
  const waiting = new Set<() => void>();
  let rest = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    const parts = (rest + text).split('\n');
    rest = parts.pop() ?? '';
    lines.push(...parts);
    for (const look of waiting) look();
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => errors.push(text));
  const ended = new Promise<{ code: number | null; signal: string | null }>((resolve) => {
    child.on('close', (code, signal) => resolve({ code, signal }));
  });
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  return {
    child,
    lines,
    errors,
    ended,
    line: (wanted) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const found = lines.find(wanted);
          if (found === undefined) return;
          waiting.delete(look);
          resolve(found);
        };
        waiting.add(look);
        void ended.then(({ code, signal }) => reject(new Error(`ended with ${String(code ?? signal)}: ${errors.join('')}`)));
        look();
      }),
  };
}
