/** Owns the system of one process that can die, which clears its timers and deferred tasks. Each process has its own monotonic clock; the wall clock is shared. */
import type { System, TimerHandle } from '../engine/ports/system.ts';

export interface MortalSystem extends System {
  /** Clears all timers and deferred tasks. */
  die(): void;
}

const never: TimerHandle = { dueAt: Number.POSITIVE_INFINITY };

/** The offset between the monotonic clocks of consecutive processes. */
const CLOCK_STEP_MS = 1_000_000;

/** @param number number of the process, from 1; each has a different random seed */
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
