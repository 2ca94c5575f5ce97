/** Owns the machine of one process that dies: with it go its timers and what it had put off. Its monotonic clock is its own, the wall clock is everybody's. */
import type { System, TimerHandle } from '../ports/system.ts';

export interface MortalSystem extends System {
  /** Nothing that was set or put off happens any more. */
  die(): void;
}

const never: TimerHandle = { dueAt: Number.POSITIVE_INFINITY };

/** @param startedAt What its monotonic clock says more than that of `system`. */
export function mortalSystem(system: System, startedAt: number): MortalSystem {
  const timers = new Set<TimerHandle>();
  let alive = true;
  return {
    now: () => system.now() + startedAt,
    epochMs: () => system.epochMs(),
    randomSeed: () => system.randomSeed(),
    createCancelSource: () => system.createCancelSource(),
    setTimer(delayMs, fire, background) {
      if (!alive) return never;
      const handle = system.setTimer(
        delayMs,
        () => {
          timers.delete(handle);
          fire();
        },
        background,
      );
      timers.add(handle);
      return handle;
    },
    clearTimer(handle) {
      if (timers.delete(handle)) system.clearTimer(handle);
    },
    defer(task) {
      system.defer(() => {
        if (alive) task();
      });
    },
    die() {
      alive = false;
      for (const handle of timers) system.clearTimer(handle);
      timers.clear();
    },
  };
}
