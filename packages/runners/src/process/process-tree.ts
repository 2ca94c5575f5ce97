/**
 * Owns starting a program as the leader of a process group and finding everything it has started.
 *
 * Invariants
 * 1. No shell: command and arguments reach the program as they are.
 * 2. A member is anyone who is in the group, descends from a member, or carries the tree's mark in its environment. The last two are
 *    read from /proc and so found on Linux only; they catch processes that left the group by setsid.
 * 3. Zombies are dead: a container without an init process may keep them for ever.
 */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';

/** Carried by every process of a tree, unless a process clears its environment. */
const treeMark = 'HOLDFAST_TREE';

export interface ProcessTree {
  readonly leader: ChildProcessWithoutNullStreams;
  readonly mark: string;
  /** Nobody older is a member: `startedAt` of the leader, or 0 where it is not known. */
  readonly since: number;
}

export interface ProgramStart {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string | undefined;
  readonly environment: Readonly<Record<string, string>>;
}

/** Starts the program. Whether it could be started at all is told by the leader's `spawn` or `error` event. */
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

/** The living members of the tree, `undefined` where there is no /proc to read. */
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

/** Ids wrap around, so a child may be listed before its parent. */
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

/** `id (name) state parent group …`; the name may hold spaces and brackets. The 22nd field is the time of the start. */
function entryOf(id: number): ProcessEntry | undefined {
  const stat = contentOf(`/proc/${id}/stat`);
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state, parent, group] = fields;
  if (state === undefined || group === undefined) return undefined;
  const alive = state !== 'Z' && state !== 'X';
  return { id, parent: Number(parent), group: Number(group), alive, startedAt: Number(fields[19]) };
}

/** Whether one of these processes still lives. Cheaper than looking for members again. */
export function someAlive(ids: readonly number[]): boolean {
  return ids.some((id) => entryOf(id)?.alive === true);
}

function hasMark(id: number, mark: string): boolean {
  return contentOf(`/proc/${id}/environ`).includes(`${treeMark}=${mark}`);
}

/** Empty when the process has just ended or belongs to someone else. */
function contentOf(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}
