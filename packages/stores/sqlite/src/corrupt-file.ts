/**
 * Owns moving a damaged database aside, so that a new one can be begun and the old one can still be looked into.
 *
 * 1. Only the very file that was found damaged is moved, not the new one that another process began meanwhile.
 * 2. One process at a time: a folder beside the file is the lock, and is taken over when its owner died.
 */
import { mkdirSync, renameSync, rmdirSync, statSync, type Stats } from 'node:fs';

const lockLastsMs = 10_000;

/** Renames `damaged` and what belongs to it. Answers its new name, or `undefined` when it is no longer there. */
export function moveAside(path: string, damaged: Stats | undefined, now: number): string | undefined {
  const lock = `${path}.repair`;
  takeLock(lock, now);
  try {
    if (damaged === undefined || !isSameFile(statOf(path), damaged)) return undefined;
    const aside = freeName(`${path}.corrupt-${new Date(now).toISOString().replaceAll(/[-:.]/g, '')}`);
    // The log first: found beside a new file it would be replayed into it.
    for (const suffix of ['-wal', '-shm', '']) {
      if (statOf(path + suffix) !== undefined) renameSync(path + suffix, aside + suffix);
    }
    return aside;
  } finally {
    rmdirSync(lock);
  }
}

export function statOf(path: string): Stats | undefined {
  return statSync(path, { throwIfNoEntry: false });
}

export function isSameFile(one: Stats | undefined, other: Stats | undefined): boolean {
  return one !== undefined && other !== undefined && one.ino === other.ino && one.dev === other.dev;
}

function takeLock(lock: string, now: number): void {
  const since = statOf(lock)?.mtimeMs;
  if (since !== undefined && now - since > lockLastsMs) rmdirSync(lock);
  mkdirSync(lock);
}

function freeName(wanted: string): string {
  let name = wanted;
  for (let n = 2; statOf(name) !== undefined; n += 1) name = `${wanted}-${String(n)}`;
  return name;
}
