/**
 * Owns which process continues the saved state of alerts. Several gateways may share a history, such as those that several hosts start over stdio:
 * the first restores the state and saves it; the others evaluate, notify and log, but always start from an empty state.
 *
 * Invariant: neither a pid that another program reuses nor a killed process that is still listed holds the lock.
 */
import { readFileSync } from 'node:fs';
import type { AlertLog } from './alert-log.ts';

const name = 'owner';

/** Acquires the lock, unless another running process holds it. */
export function acquireLeaderLock(alertLog: AlertLog, nowMs: number, isAlive: (pid: number) => boolean = isRunning): boolean {
  const [owner, began] = readOwner(alertLog.attempt((kept) => kept.state(name), undefined) ?? '0');
  const isOther = owner > 0 && owner !== process.pid && isAlive(owner);
  if (isOther && (began === undefined || began === processStart(owner))) return false;
  alertLog.attempt((kept) => kept.saveState(name, `${process.pid} ${processStart(process.pid) ?? ''}`.trim(), nowMs), undefined);
  return true;
}

export function releaseLeaderLock(alertLog: AlertLog, nowMs: number): void {
  alertLog.attempt((kept) => kept.saveState(name, '0', nowMs), undefined);
}

function readOwner(text: string): readonly [pid: number, began: string | undefined] {
  const [pid, began] = text.split(' ');
  return [Number(pid), began];
}

/** The start time in clock ticks since boot, from `/proc`; `undefined` on other systems than Linux and for a zombie process. */
function processStart(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field is the program's name in parentheses and may contain any character.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' ? undefined : fields[19];
  } catch {
    return undefined;
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
