/** Runs the program as a child process, in a temporary folder. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

export const bin: string = join(import.meta.dirname, '../../bin/holdfast.mjs');

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Started {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  /** Resolves when standard error contains this; rejects if the program ends first. */
  readonly printed: (text: string | RegExp) => Promise<void>;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Removes variables that would change the output. */
const neutralEnvironment: Environment = {
  CI: undefined,
  COLUMNS: undefined,
  FORCE_COLOR: undefined,
  NO_COLOR: undefined,
  NODE_OPTIONS: undefined,
  npm_command: undefined,
  LANG: 'C.UTF-8',
  LC_ALL: undefined,
};

/** A temporary folder with files; deleted by `remove`. */
export class Folder {
  readonly path: string = mkdtempSync(join(tmpdir(), 'holdfast-cli-'));

  write(files: Readonly<Record<string, string>>): this {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(this.path, name)), { recursive: true });
      writeFileSync(join(this.path, name), text);
    }
    return this;
  }

  at(...names: readonly string[]): string {
    return join(this.path, ...names);
  }

  start(args: readonly string[], { cwd = this.path, env = {} }: { readonly cwd?: string; readonly env?: Environment } = {}): Started {
    const child = spawn(process.execPath, [bin, ...args], {
      cwd,
      env: { ...process.env, ...neutralEnvironment, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    return follow(child);
  }

  run(args: readonly string[], options: { readonly cwd?: string; readonly env?: Environment } = {}): Promise<Ended> {
    return this.start(args, options).ended;
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}

export function follow(child: ChildProcess): Started {
  const output = { stdout: '', stderr: '' };
  const waiting = new Set<() => void>();
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
      for (const check of waiting) check();
    });
  }
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ code, signal, ...output }));
  });
  const printed = (text: string | RegExp): Promise<void> =>
    new Promise((resolve, reject) => {
      const check = (): void => {
        if (typeof text === 'string' ? !output.stderr.includes(text) : !text.test(output.stderr)) return;
        waiting.delete(check);
        resolve();
      };
      waiting.add(check);
      check();
      void ended.then(() => reject(new Error(`ended before it printed ${String(text)}:\n${output.stderr}`)));
    });
  return { child, ended, printed };
}

/** Parses NDJSON; throws for an invalid line. */
export const lines = (text: string): Record<string, unknown>[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
