/** Owns a machine that can be killed: none of its timers and deferred tasks run any more. */
import type { System, TimerHandle } from '@holdfast/core';

export interface Killable {
  readonly system: System;
  readonly kill: () => void;
  readonly isAlive: () => boolean;
}

export function killable(system: System): Killable {
  const timers = new Set<TimerHandle>();
  let alive = true;
  return {
    system: {
      now: () => system.now(),
      epochMs: () => system.epochMs(),
      randomSeed: () => system.randomSeed(),
      createCancelSource: () => system.createCancelSource(),
      setTimer(delayMs, fire, background) {
        const handle = system.setTimer(
          delayMs,
          () => {
            timers.delete(handle);
            if (alive) fire();
          },
          background,
        );
        timers.add(handle);
        if (!alive) system.clearTimer(handle);
        return handle;
      },
      clearTimer(handle) {
        timers.delete(handle);
        system.clearTimer(handle);
      },
      defer: (task) => system.defer(() => void (alive && task())),
    },
    isAlive: () => alive,
    kill() {
      alive = false;
      for (const handle of timers) system.clearTimer(handle);
    },
  };
}
