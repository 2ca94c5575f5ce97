/** Owns waiting for a promise with a time limit. */
import type { System } from '../ports/system.ts';

/** The longest timer of Node and browsers, in milliseconds; a longer one fires at once. */
export const maxTimerMs: number = 2 ** 31 - 1;

/** The timer functions of the platform: `globalThis` has them. */
export interface PlatformTimers {
  /** Runs a task once, after a delay in milliseconds. */
  setTimeout(task: () => void, delayMs: number): unknown;
  /** Cancels a timer. */
  clearTimeout(timer: unknown): void;
}

/** Where timers come from: a system, or the platform. */
export type Timers = Pick<System, 'setTimer' | 'clearTimer'> | PlatformTimers;

/**
 * Resolves with the promise's value, or with `undefined` at the limit. Rejects like the promise. No timer is left behind.
 * @param limitMs Milliseconds, at most `maxTimerMs`.
 * @param background The timer of a system does not keep the process alive. @default false
 */
export async function waitAtMost<Value>(
  timers: Timers,
  promise: Promise<Value>,
  limitMs: number,
  background = false,
): Promise<Value | undefined> {
  let clear = (): void => undefined;
  const limit = new Promise<undefined>((resolve) => {
    const delayMs = Math.min(limitMs, maxTimerMs);
    const fire = (): void => resolve(undefined);
    if ('setTimer' in timers) {
      const timer = timers.setTimer(delayMs, fire, background);
      clear = () => timers.clearTimer(timer);
    } else {
      const timer = timers.setTimeout(fire, delayMs);
      clear = () => timers.clearTimeout(timer);
    }
  });
  try {
    return await Promise.race([promise, limit]);
  } finally {
    clear();
  }
}
