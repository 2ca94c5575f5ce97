/**
 * Owns whether what is kept of alerts is this process's to go on with. Several gateways may share a history, such as those that several hosts start over stdio:
 * the first goes on with what was kept and keeps it; the others watch, tell and log, and begin anew each time.
 */
import type { Diary } from './diary.ts';

const name = 'owner';

/** Takes what is kept, unless another process that lives has it. */
export function takeTenure(diary: Diary, nowMs: number, isAlive: (pid: number) => boolean = lives): boolean {
  const owner = Number(diary.attempt((kept) => kept.state(name), undefined) ?? 0);
  if (owner > 0 && owner !== process.pid && isAlive(owner)) return false;
  diary.attempt((kept) => kept.saveState(name, String(process.pid), nowMs), undefined);
  return true;
}

export function endTenure(diary: Diary, nowMs: number): void {
  diary.attempt((kept) => kept.saveState(name, '0', nowMs), undefined);
}

function lives(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
