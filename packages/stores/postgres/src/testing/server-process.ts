/**
 * Owns the processes of one PostgreSQL: start, signals to all of them, their end.
 */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Owner } from './programs.ts';

const maxStartMs = 60_000;
const pollMs = 10;

export interface ServerProcess {
  readonly running: boolean;
  /** Sends a signal to the server and all its sessions. */
  signalAll(signal: NodeJS.Signals): void;
  /** Sends one signal to the server and waits for the end of all its processes. */
  end(signal: NodeJS.Signals): Promise<void>;
  killNow(): void;
}

/** Rejects with the server's output if it does not start. */
export async function startProcess(
  bin: string,
  data: string,
  settings: Readonly<Record<string, string>>,
  owner?: Owner,
): Promise<ServerProcess> {
  const parameters = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('PG')));
  const child = spawn(join(bin, 'postgres'), ['-D', data, ...parameters], {
    ...owner,
    cwd: data,
    env: { ...environment, LC_ALL: 'C' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let outputTail = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (outputTail = (outputTail + text).slice(-10_000)));
  const exited = once(child, 'exit');
  await untilReady(child, data, () => outputTail);
  const processes = (): readonly number[] =>
    child.pid === undefined || child.exitCode !== null || child.signalCode !== null ? [] : [child.pid, ...childrenOf(child.pid)];

  return {
    get running() {
      return processes().length > 0;
    },
    signalAll(signal) {
      // The server first, so that it starts no more processes.
      for (const pid of processes()) kill(pid, signal);
    },
    async end(signal) {
      const pids = processes();
      if (pids.length === 0) return;
      if (signal === 'SIGKILL') for (const pid of pids) kill(pid, signal);
      else kill(pids[0]!, signal);
      await exited;
      while (pids.some(isAlive)) await sleep(pollMs);
    },
    killNow() {
      for (const pid of processes()) kill(pid, 'SIGKILL');
    },
  };
}

async function untilReady(child: ChildProcess, data: string, outputTail: () => string): Promise<void> {
  const end = performance.now() + maxStartMs;
  for (;;) {
    if (child.exitCode !== null || child.signalCode !== null) throw new Error(`startPostgres: the server ended: ${outputTail()}`);
    const lines = (await readFile(join(data, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n');
    if (lines[0] === String(child.pid) && lines[7]?.trim() === 'ready') return;
    if (performance.now() > end) {
      child.kill('SIGKILL');
      throw new Error(`startPostgres: not ready within ${String(maxStartMs)} ms: ${outputTail()}`);
    }
    await sleep(pollMs);
  }
}

/** The small segment of shared memory that a killed server leaves in the system. */
export function removeSharedMemory(data: string): void {
  try {
    const id = readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[6]?.trim().split(/\s+/)[1];
    if (id !== undefined) execFileSync('ipcrm', ['-m', id], { stdio: 'ignore' });
  } catch {
    // There is none, or `ipcrm` is not installed.
  }
}

function childrenOf(pid: number): readonly number[] {
  try {
    return readFileSync(`/proc/${String(pid)}/task/${String(pid)}/children`, 'utf8')
      .split(' ')
      .filter(Boolean)
      .map(Number);
  } catch {
    return psChildrenOf(pid);
  }
}

function psChildrenOf(pid: number): readonly number[] {
  try {
    const rows = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' }).split('\n');
    return rows
      .map((row) => row.trim().split(/\s+/).map(Number))
      .flatMap(([one, parent]) => (parent === pid && one !== undefined ? [one] : []));
  } catch {
    return [];
  }
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended.
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // An ended process stays listed until its parent reaps it, and init may take a while.
    return !/^\d+ \(.*\) Z/.test(existsSync('/proc/self') ? readFileSync(`/proc/${String(pid)}/stat`, 'utf8') : '');
  } catch {
    return false;
  }
}
