import { expect } from 'vitest';
import { readFileSync, readdirSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';

/** Whether the process is running; a zombie is not. */
export function isAlive(id: number): boolean {
  try {
    const stat = readFileSync(`/proc/${id}/stat`, 'latin1');
    return !/\) [ZX] /.test(stat);
  } catch {
    return false;
  }
}

/** Running child processes of this one whose command line contains the text. */
export function childrenNamed(part: string): readonly number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((id) => id > 0 && isAlive(id) && parentOf(id) === process.pid && commandLine(id).includes(part));
}

function parentOf(id: number): number {
  try {
    const stat = readFileSync(`/proc/${id}/stat`, 'latin1');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return 0;
  }
}

function commandLine(id: number): string {
  try {
    return readFileSync(`/proc/${id}/cmdline`, 'latin1');
  } catch {
    return '';
  }
}

/** Waits until the check holds; after ten seconds fails with its description. */
export async function until(what: string, holds: () => boolean | Promise<boolean>, limitMs = 10_000): Promise<void> {
  const end = performance.now() + limitMs;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`waited ${limitMs} ms until ${what}, without success`);
    await wait(10);
  }
}

export function expectNoChildren(part: string): void {
  expect(childrenNamed(part)).toEqual([]);
}
