/**
 * Owns whether what is kept of alerts is this process's to continue with. Several gateways may share a history, such as those that several hosts start over stdio:
 * the first continues with what was kept and keeps it; the others watch, tell and log, and begin anew each time.
 *
 * Invariant: a pid that somebody else has by now, and a process that was killed and is still listed, keep nobody from it.
 */
import { readFileSync } from 'node:fs';
import type { Diary } from './alert-log.ts';

const name = 'owner';

/** Takes what is kept, unless another process that lives has it. */
export function takeTenure(diary: Diary, nowMs: number, isAlive: (pid: number) => boolean = lives): boolean {
  const [owner, began] = readOwner(diary.attempt((kept) => kept.state(name), undefined) ?? '0');
  const isOther = owner > 0 && owner !== process.pid && isAlive(owner);
  if (isOther && (began === undefined || began === processStart(owner))) return false;
  diary.attempt((kept) => kept.saveState(name, `${process.pid} ${processStart(process.pid) ?? ''}`.trim(), nowMs), undefined);
  return true;
}

export function endTenure(diary: Diary, nowMs: number): void {
  diary.attempt((kept) => kept.saveState(name, '0', nowMs), undefined);
}

function readOwner(text: string): readonly [pid: number, began: string | undefined] {
  const [pid, began] = text.split(' ');
  return [Number(pid), began];
}

/** Clock ticks since boot, from Linux's process table; `undefined` elsewhere, and of a process that has ended and is still listed. */
function processStart(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field is the program's name in parentheses and may hold anything.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' ? undefined : fields[19];
  } catch {
    return undefined;
  }
}

function lives(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
