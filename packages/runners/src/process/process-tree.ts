/**
 * Owns starting a program as the leader of a process group, and finding all processes it has started.
 *
 * Invariants
 * 1. No shell: command and arguments reach the program unchanged.
 * 2. Members are the processes in the group, descendants of members, and processes with the tree's mark in their environment. The last two are
 *    read from /proc, so on Linux only; they find processes that left the group by setsid.
 * 3. Zombies count as dead: a container without an init process may keep them for ever.
 */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';

/** The mark in the environment of every process of a tree, unless a process clears it. */
const treeMark = 'HOLDFAST_TREE';

export interface ProcessTree {
  readonly leader: ChildProcessWithoutNullStreams;
  readonly mark: string;
  /** `startedAt` of the leader, or 0 if unknown: older processes are no members. */
  readonly since: number;
}

export interface ProgramStart {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string | undefined;
  readonly environment: Readonly<Record<string, string>>;
}

/** Starts the program. The leader's `spawn` or `error` event shows whether it could be started. */
export function startTree({ command, args, cwd, environment }: ProgramStart): ProcessTree {
  const mark = randomUUID();
  const leader = spawn(command, [...args], {
    shell: false,
    detached: process.platform !== 'win32',
    windowsHide: true,
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...environment, [treeMark]: mark },
    ...(cwd === undefined ? {} : { cwd }),
  });
  return { leader, mark, since: leader.pid === undefined ? 0 : (entryOf(leader.pid)?.startedAt ?? 0) };
}

interface ProcessEntry {
  readonly id: number;
  readonly parent: number;
  readonly group: number;
  readonly alive: boolean;
  /** Clock ticks since the machine was started. */
  readonly startedAt: number;
}

/** The living members of the tree; `undefined` without /proc. */
export function livingMembers({ leader, mark, since }: ProcessTree): readonly number[] | undefined {
  if (process.platform !== 'linux' || leader.pid === undefined) return undefined;
  const entries = allProcesses();
  if (entries === undefined) return undefined;
  const members = new Set<number>([leader.pid]);
  const isMember = ({ id, parent, group, startedAt }: ProcessEntry): boolean =>
    id === leader.pid || group === leader.pid || members.has(parent) || (startedAt >= since && hasMark(id, mark));
  const outside = entries.filter((entry) => {
    if (!isMember(entry)) return true;
    members.add(entry.id);
    return false;
  });
  adoptDescendants(members, outside);
  return entries.filter(({ id, alive }) => alive && members.has(id)).map(({ id }) => id);
}

/** Process ids wrap around, so a child may be listed before its parent. */
function adoptDescendants(members: Set<number>, outside: readonly ProcessEntry[]): void {
  const found = outside.filter(({ id, parent }) => members.has(parent) && !members.has(id));
  if (found.length === 0) return;
  for (const { id } of found) members.add(id);
  adoptDescendants(members, outside);
}

function allProcesses(): readonly ProcessEntry[] | undefined {
  try {
    return readdirSync('/proc')
      .map(Number)
      .filter((id) => id > 1 && id !== process.pid)
      .map(entryOf)
      .filter((entry) => entry !== undefined);
  } catch {
    return undefined;
  }
}

/** `id (name) state parent group …`; the name may contain spaces and parentheses. The 22nd field is the start time. */
function entryOf(id: number): ProcessEntry | undefined {
  const stat = contentOf(`/proc/${id}/stat`);
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state, parent, group] = fields;
  if (state === undefined || group === undefined) return undefined;
  const alive = state !== 'Z' && state !== 'X';
  return { id, parent: Number(parent), group: Number(group), alive, startedAt: Number(fields[19]) };
}

/** Whether one of these processes is alive. Cheaper than searching for members again. */
export function someAlive(ids: readonly number[]): boolean {
  return ids.some((id) => entryOf(id)?.alive === true);
}

function hasMark(id: number, mark: string): boolean {
  return contentOf(`/proc/${id}/environ`).includes(`${treeMark}=${mark}`);
}

/** Empty if the process has just ended or belongs to another user. */
function contentOf(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}
