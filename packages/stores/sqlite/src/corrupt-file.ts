/**
 * Owns moving a damaged database aside, so that a new one can be created and the old one can still be examined.
 *
 * 1. Only the file that was found damaged is moved, not a new one that another process created in the meantime.
 * 2. One process at a time: a folder beside the file is the lock, and expires if its owner dies.
 */
import { mkdirSync, renameSync, rmdirSync, statSync, type Stats } from 'node:fs';

const lockLastsMs = 10_000;

/** Renames `damaged` and its log. Returns its new name, or `undefined` if it is no longer there. */
export function moveAside(path: string, damaged: Stats | undefined, now: number): string | undefined {
  const lock = `${path}.repair`;
  takeLock(lock, now);
  try {
    if (damaged === undefined || !isSameFile(statOf(path), damaged)) return undefined;
    const aside = freeName(`${path}.corrupt-${new Date(now).toISOString().replaceAll(/[-:.]/g, '')}`);
    // The log first: beside a new file it would be replayed into that one.
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
