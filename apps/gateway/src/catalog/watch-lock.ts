/** Owns noticing that the lock file has changed, so that an accepted definition takes effect without a reload. */
import { stat } from 'node:fs/promises';
import type { System, TimerHandle } from '@holdfast/core';

const checkMs = 500;

/** Calls back after each change of the file at the current path. Returns a function that stops. */
export function watchLock(path: () => string | undefined, system: System, onChange: () => Promise<void>): () => void {
  let timer: TimerHandle | undefined;
  let last: string | undefined;
  let isOver = false;
  const look = async (): Promise<void> => {
    const file = path();
    const state = file === undefined ? '' : await stateOf(file);
    const isFirst = last === undefined;
    const isChanged = state !== last;
    last = state;
    if (isChanged && !isFirst && !isOver) await onChange();
    if (!isOver) timer = system.setTimer(checkMs, () => void look(), true);
  };
  void look();
  return () => {
    isOver = true;
    if (timer !== undefined) system.clearTimer(timer);
  };
}

/** Its path, time and size; empty without a file. */
async function stateOf(file: string): Promise<string> {
  try {
    const { mtimeMs, size, ino } = await stat(file);
    return `${file} ${mtimeMs} ${size} ${ino}`;
  } catch {
    return '';
  }
}
