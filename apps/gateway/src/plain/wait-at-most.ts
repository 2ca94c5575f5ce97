/** Owns waiting with a time limit. */
import type { System } from '@holdfast/core';

/** The longest timer of the platform; a longer one fires at once. */
export const longestTimerMs: number = 2_147_483_647;

/**
 * Resolves with the value, or with `undefined` at the limit. Rejects like the promise.
 * @param system Provides timers that do not keep the process alive. @default timers of the platform, which do
 */
export async function waitAtMost<Value>(promise: Promise<Value>, limitMs: number, system?: System): Promise<Value | undefined> {
  let clear = (): void => undefined;
  const limit = new Promise<undefined>((resolve) => {
    if (system !== undefined) {
      const timer = system.setTimer(limitMs, () => resolve(undefined), true);
      clear = () => system.clearTimer(timer);
      return;
    }
    const timer = setTimeout(resolve, Math.min(limitMs, longestTimerMs), undefined);
    clear = () => clearTimeout(timer);
  });
  try {
    return await Promise.race([promise, limit]);
  } finally {
    clear();
  }
}
