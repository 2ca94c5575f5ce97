/**
 * Owns the access to the machine: the only file of the core that reads clocks, sets timers and draws random numbers. Works in Node, browsers and
 * workers, and also in a runtime that has only the language itself.
 */
import type { System } from '../../engine/ports/system.ts';
import type { ControllerConstructor } from './cancel-source.ts';
import { LazyCancelSource } from './cancel-source.ts';
import { NoDelayTimers } from './no-delay.ts';
import type { Alarm } from './timer-list.ts';
import { createTimerList } from './timer-list.ts';

interface PlatformTimer {
  ref?(): unknown;
  unref?(): unknown;
}

interface Platform {
  readonly performance?: { now(): number };
  readonly setTimeout?: (task: () => void, delayMs: number) => PlatformTimer | number;
  readonly clearTimeout?: (timer: PlatformTimer | number) => void;
  readonly setImmediate?: (task: () => void) => unknown;
  readonly AbortController?: ControllerConstructor;
  readonly crypto?: { getRandomValues(bytes: Uint32Array): unknown };
}

const platform = globalThis as unknown as Platform;

/** The real machine. */
export function createSystem(): System {
  const now = createMonotonicClock();
  const timers = createTimerList(
    now,
    createAlarm(() => timers.ring()),
  );
  const noDelay = new NoDelayTimers(now, platform.setImmediate ?? ((task) => timers.set(0, task)));
  return {
    now,
    epochMs: () => Date.now(),
    setTimer: (delayMs, fire, background, from) => (delayMs > 0 ? timers.set(delayMs, fire, background, from) : noDelay.set(fire)),
    clearTimer: (handle) => timers.clear(handle),
    createCancelSource: () => new LazyCancelSource(platform.AbortController),
    randomSeed: createRandomSeed,
    defer: (task) => void Promise.resolve().then(task).catch(ignore),
  };
}

function ignore(): void {
  // A deferred task must never crash the process; the code that defers it reports its faults.
}

function createMonotonicClock(): () => number {
  const { performance } = platform;
  if (performance) return () => performance.now();
  let latest = 0;
  return () => {
    latest = Math.max(latest, Date.now());
    return latest;
  };
}

function createAlarm(ring: () => void): Alarm {
  const { setTimeout, clearTimeout, setImmediate } = platform;
  if (!setTimeout || !clearTimeout) return createWaitingAlarm(ring);
  let timer: PlatformTimer | number | undefined;
  let idle = true;
  let asked = false;
  const applyIdle = (): void => {
    if (typeof timer !== 'object') return;
    if (idle) timer.unref?.();
    else timer.ref?.();
  };
  const applyAsked = (): void => {
    asked = false;
    applyIdle();
  };
  return {
    setFor(delayMs) {
      if (timer !== undefined) clearTimeout(timer);
      timer = setTimeout(ring, Math.ceil(delayMs));
      applyIdle();
    },
    setIdle(value) {
      idle = value;
      // Consecutive calls switch it between idle and busy repeatedly: only the state at the end of the event loop's turn matters.
      if (asked) return;
      if (!idle || !setImmediate) applyIdle();
      else {
        asked = true;
        setImmediate(applyAsked);
      }
    },
  };
}

interface WaitAsync {
  waitAsync(cell: Int32Array, index: number, value: number, timeoutMs: number): { readonly value: string | Promise<string> };
}

/** Without `setTimeout`, `Atomics.waitAsync` works: a wait on a cell that is never notified ends at its time limit. */
function createWaitingAlarm(ring: () => void): Alarm {
  if (typeof SharedArrayBuffer === 'undefined' || !('waitAsync' in Atomics)) {
    throw new TypeError('This runtime has no timers: pass a { system }.');
  }
  const cell = new Int32Array(new SharedArrayBuffer(4));
  let setting = 0;
  return {
    setFor(delayMs) {
      setting += 1;
      const mine = setting;
      const waited = (Atomics as unknown as WaitAsync).waitAsync(cell, 0, 0, Math.max(Math.ceil(delayMs), 1)).value;
      void Promise.resolve(waited).then(() => {
        if (mine === setting) ring();
      });
    },
    setIdle: ignore,
  };
}

/** Drawn in advance: each draw from the machine costs microseconds. */
const randomWords = new Uint32Array(128);
let drawn = randomWords.length;

function createRandomSeed(): string {
  if (drawn === randomWords.length) {
    drawn = 0;
    if (platform.crypto) platform.crypto.getRandomValues(randomWords);
    else randomWords.forEach((_, index) => (randomWords[index] = Math.random() * 2 ** 32));
  }
  const word = (): string => (randomWords[drawn++] ?? 0).toString(16).padStart(8, '0');
  return word() + word();
}
