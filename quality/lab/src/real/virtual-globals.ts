/**
 * Owns the globals that packages take time and randomness from, mapped to a run: its agenda and its seed.
 * Custom, because the agenda already defines the order of all events: a second clock would have to be kept in sync with it.
 */
import type { LabRun } from '@holdfast/simulate';

interface VirtualTimer {
  unref(): VirtualTimer;
  ref(): VirtualTimer;
  hasRef(): boolean;
  cancel(): void;
}

/** Replaces them in this thread until the returned function is called. Intervals end at `untilMs`, since they would keep a run going forever. */
export function replaceGlobals(run: LabRun, untilMs: number): () => void {
  const { setTimeout, clearTimeout, setInterval, clearInterval } = globalThis;
  const { now } = Date;
  const { random } = Math;
  const performanceNow = performance.now.bind(performance);
  const set = (fire: () => void, delayMs: number): VirtualTimer => {
    // As in Node.js: whole milliseconds, at least one.
    const handle = run.setTimer(Math.max(1, Math.trunc(delayMs) || 1), fire);
    const timer: VirtualTimer = {
      unref: () => timer,
      ref: () => timer,
      hasRef: () => true,
      cancel: () => run.clearTimer(handle),
    };
    return timer;
  };
  const clear = (timer: VirtualTimer | undefined): void => timer?.cancel();
  const repeat = (fire: () => void, everyMs: number): VirtualTimer => {
    let current: VirtualTimer;
    const arm = (): VirtualTimer =>
      set(() => {
        if (run.now() < untilMs) current = arm();
        fire();
      }, everyMs);
    current = arm();
    return { ...current, unref: () => current, cancel: () => current.cancel() };
  };
  Object.assign(globalThis, {
    setTimeout: (fire: (...rest: unknown[]) => void, delayMs = 0, ...rest: unknown[]) => set(() => fire(...rest), delayMs),
    clearTimeout: clear,
    setInterval: (fire: (...rest: unknown[]) => void, everyMs = 0, ...rest: unknown[]) => repeat(() => fire(...rest), everyMs),
    clearInterval: clear,
  });
  Date.now = () => run.startedAtEpochMs + run.now();
  performance.now = () => run.now();
  let draws = 0;
  Math.random = () => run.draw('Math.random', String((draws += 1)));
  return () => {
    Object.assign(globalThis, { setTimeout, clearTimeout, setInterval, clearInterval });
    Date.now = now;
    Math.random = random;
    performance.now = performanceNow;
  };
}
