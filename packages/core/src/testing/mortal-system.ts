/** Owns the machine of one process that dies: with it go its timers and what it had put off. Its monotonic clock is its own, the wall clock is everybody's. */
import type { System, TimerHandle } from '../engine/ports/system.ts';

export interface MortalSystem extends System {
  /** Nothing that was set or put off happens any more. */
  die(): void;
}

const never: TimerHandle = { dueAt: Number.POSITIVE_INFINITY };

/** Where one process's monotonic clock begins, next to that of the one before. */
const CLOCK_STEP_MS = 1_000_000;

/** @param number Of the process: 1 for the first. What it draws at random is its own. */
export function mortalSystem(system: System, number: number): MortalSystem {
  const startedAt = (number - 1) * CLOCK_STEP_MS;
  const timers = new Set<TimerHandle>();
  let alive = true;
  return {
    now: () => system.now() + startedAt,
    epochMs: () => system.epochMs(),
    randomSeed: () => (number === 1 ? system.randomSeed() : `${system.randomSeed()}-${number}`),
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
