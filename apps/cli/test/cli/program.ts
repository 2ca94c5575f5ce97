/** Runs the real program as a child process, in a folder of its own. */
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
  /** Resolves once standard error holds this; rejects when the program ends before. */
  readonly said: (text: string | RegExp) => Promise<void>;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** What would change the output, no matter who runs the tests. */
const neutral: Environment = {
  CI: undefined,
  COLUMNS: undefined,
  FORCE_COLOR: undefined,
  NO_COLOR: undefined,
  NODE_OPTIONS: undefined,
  npm_command: undefined,
  LANG: 'C.UTF-8',
  LC_ALL: undefined,
};

/** A folder with these files; removed by `remove`. */
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
      env: { ...process.env, ...neutral, ...env },
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
  const printed = { stdout: '', stderr: '' };
  const waiting = new Set<() => void>();
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      printed[name] += text;
      for (const look of waiting) look();
    });
  }
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ code, signal, ...printed }));
  });
  const said = (text: string | RegExp): Promise<void> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        if (typeof text === 'string' ? !printed.stderr.includes(text) : !text.test(printed.stderr)) return;
        waiting.delete(look);
        resolve();
      };
      waiting.add(look);
      look();
      void ended.then(() => reject(new Error(`ended before it said ${String(text)}:\n${printed.stderr}`)));
    });
  return { child, ended, said };
}

/** NDJSON; throws for a line that is none. */
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
