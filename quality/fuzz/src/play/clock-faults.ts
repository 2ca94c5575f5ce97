/** Owns what happens to the clocks of a scene's machine: steps of the wall clock, and sleep. */
import type { ManualSystem } from '@holdfast/core/testing';
import type { FuzzScene } from '../scene/scene.ts';
import type { Observer } from './observation.ts';

interface Machine {
  readonly system: ManualSystem;
  readonly observer: Observer;
  /** Sets the timers of the faults. */
  readonly timers: { setTimer(delayMs: number, fire: () => void): unknown };
}

export function scheduleClockFaults({ wallSteps, sleeps }: FuzzScene, { system, observer, timers }: Machine): void {
  for (const { atMs, byMs } of wallSteps) timers.setTimer(atMs, () => system.stepWallClock(byMs));
  for (const { atMs, forMs } of sleeps)
    timers.setTimer(atMs, () => {
      observer.sleep(forMs);
      system.sleep(forMs);
    });
}
