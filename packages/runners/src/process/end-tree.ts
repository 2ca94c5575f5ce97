/**
 * Owns ending a process tree: SIGTERM, grace period, SIGKILL, and waiting until no process is left.
 *
 * Invariants
 * 1. The promise resolves only when no member is alive that this process may signal.
 * 2. The grace period ends early when all members have ended.
 * 3. After SIGKILL the tree is searched repeatedly, so a process forked in between is killed too.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { type ProcessTree, livingMembers, someAlive } from './process-tree.ts';

/** Ends the tree and resolves when it has ended. With a grace period of 0 there is no SIGTERM. */
export async function endTree(tree: ProcessTree, graceMs: number): Promise<void> {
  if (tree.leader.pid === undefined) return;
  if (graceMs > 0) {
    signalTree(tree, 'SIGTERM');
    if (await endedWithin(tree, graceMs)) return;
  }
  for (let round = 0; ; round++) {
    const { anybody, members } = signalTree(tree, 'SIGKILL');
    if (!anybody) return;
    await untilGone(members, Math.min(100, 5 * 2 ** round));
  }
}

/** Waits until these have ended, up to a limit: a member that may not be signalled never ends. */
async function untilGone(members: readonly number[], maxMs: number): Promise<void> {
  const end = performance.now() + maxMs;
  do await wait(2);
  while (performance.now() < end && (members.length === 0 || someAlive(members)));
}

/** Kills the rest of a group whose leader has ended. */
export function sweepGroup({ leader }: ProcessTree): void {
  if (leader.pid !== undefined && process.platform !== 'win32') deliver(-leader.pid, 'SIGKILL');
}

/** How long the pipes of a program may stay open after its exit, because a process it started holds them. */
const drainMs = 500;

/** Call it when the leader has exited. Resolves when its pipes are empty; kills the group if a member holds them open. */
export function drain(tree: ProcessTree): Promise<void> {
  return new Promise((resolve) => {
    let timer = setTimeout(() => {
      sweepGroup(tree);
      timer = setTimeout(resolve, drainMs);
    }, drainMs);
    tree.leader.once('close', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

async function endedWithin(tree: ProcessTree, graceMs: number): Promise<boolean> {
  const end = performance.now() + graceMs;
  let pauseMs = 5;
  for (let leftMs = graceMs; leftMs > 0; leftMs = end - performance.now()) {
    await wait(Math.min(pauseMs, leftMs));
    // Searching /proc takes milliseconds: not while the leader is running.
    if (hasExited(tree) && !isAlive(tree)) return true;
    pauseMs = Math.min(pauseMs * 2, 50);
  }
  return false;
}

function hasExited({ leader }: ProcessTree): boolean {
  return leader.exitCode !== null || leader.signalCode !== null;
}

function isAlive(tree: ProcessTree): boolean {
  const members = livingMembers(tree);
  if (members === undefined) return tree.leader.pid !== undefined && deliver(-tree.leader.pid, 0);
  return members.some((id) => deliver(id, 0));
}

interface Signalled {
  /** Returns whether there was a process that may be signalled. */
  readonly anybody: boolean;
  /** The members found in /proc. */
  readonly members: readonly number[];
}

function signalTree(tree: ProcessTree, signal: NodeJS.Signals): Signalled {
  const { leader } = tree;
  if (leader.pid === undefined) return { anybody: false, members: [] };
  if (process.platform === 'win32') return { anybody: !hasExited(tree) && leader.kill(signal), members: [] };
  const members = livingMembers(tree);
  const groupReached = deliver(-leader.pid, signal);
  const reached = members?.filter((id) => deliver(id, signal));
  return { anybody: reached === undefined ? groupReached : reached.length > 0, members: reached ?? [] };
}

/** Returns false if there is no process that may be signalled. */
function deliver(id: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(id, signal);
  } catch {
    return false;
  }
}
