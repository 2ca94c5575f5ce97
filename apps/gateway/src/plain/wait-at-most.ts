/** Owns waiting for something, but not for ever. */
import type { System } from '@holdfast/core';

/** A longer timer of the platform fires at once. */
export const longestTimerMs: number = 2_147_483_647;

/**
 * The value, or `undefined` when the limit is up first. Rejects as the promise does.
 * @param system Its timers, which do not keep the process alive. @default timers of the platform, which do
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
