/** Owns waiting no longer than a limit. */
import type { System } from '@holdfast/core';

/** Resolves when the promise has settled or the limit is up. Never rejects. */
export function waitAtMost(promise: Promise<unknown>, limitMs: number, system: System): Promise<void> {
  return new Promise((resolve) => {
    const timer = system.setTimer(limitMs, resolve, true);
    const finish = (): void => {
      system.clearTimer(timer);
      resolve();
    };
    promise.then(finish, finish);
  });
}
