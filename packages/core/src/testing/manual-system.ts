/**
 * Owns the machine for tests: time stands still until it is moved by hand.
 *
 * Invariant: `advance` fires timers in the order of their times, each at its exact time, and lets promises settle after each. After `sleep` those that it has made
 * late fire together, as on a real machine.
 */
import type { System } from '../engine/ports/system.ts';
import { LazyCancelSource } from '../runtime/system/cancel-source.ts';
import type { ControllerConstructor } from '../runtime/system/cancel-source.ts';
import { createTimerList } from '../runtime/system/timer-list.ts';

/** A system for tests whose time moves only by hand. */
export interface ManualSystem extends System {
  /** Moves both clocks on by so many milliseconds. */
  advance(milliseconds: number): Promise<void>;
  /** Moves on to each next timer until `promise` has settled; answers what it settled with. */
  until<T>(promise: Promise<T>): Promise<T>;
  /** Steps the wall clock alone. */
  stepWallClock(milliseconds: number): void;
  /**
   * Moves both clocks on without a timer ringing, as where the machine sleeps or the event loop is held up: what was due meanwhile rings late, in the order of
   * its times, as soon as time is moved otherwise.
   */
  sleep(milliseconds: number): void;
  /** Lets promises settle without moving time. */
  settle(): Promise<void>;
  /** Timers that are set. */
  readonly pendingTimers: number;
}

/** Where a manual system starts. */
export interface ManualSystemOptions {
  /** The monotonic clock at the start, in milliseconds. @default 0 */
  readonly now?: number;
  /** The wall clock at the start, milliseconds since 1970. @default 2025-11-05T10:30:45Z, the moment of the sources' examples */
  readonly epochMs?: number;
  /** What `randomSeed` answers. @default 'seed' */
  readonly seed?: string;
}

function ignore(): void {
  // As the real system does: what is deferred brings nothing down.
}

/** Chains of awaits longer than this within one moment are not waited for. */
const TURNS = 100;
/** So many times as long are they waited for before it is said that nothing will come of them. */
const PATIENCE = 100;

async function settle(): Promise<void> {
  for (let turn = 0; turn < TURNS; turn++) await Promise.resolve();
}

/** Until the promise has settled. */
async function ringUntil(promise: Promise<unknown>, timers: { readonly size: number }, ring: () => Promise<void>): Promise<void> {
  let settled = false;
  const mark = (): void => {
    settled = true;
  };
  promise.then(mark, mark);
  await settle();
  while (!settled) {
    // Where a process is taken over again and again in one moment, each reads all that was journaled.
    for (let more = 0; timers.size === 0 && !settled && more < PATIENCE; more += 1) await settle();
    if (settled) break;
    if (timers.size === 0) throw new Error('manualSystem: the promise waits for something that no timer will bring about');
    await ring();
  }
}

/** Creates a system whose clocks, timers and random seed a test controls. */
export function manualSystem({
  now = 0,
  epochMs = Date.UTC(2025, 10, 5, 10, 30, 45),
  seed = 'seed',
}: ManualSystemOptions = {}): ManualSystem {
  let time = now;
  let wallOffset = epochMs - now;
  let alarmAt = Number.POSITIVE_INFINITY;
  const timers = createTimerList(() => time, {
    setFor(delayMs) {
      alarmAt = time + delayMs;
    },
    setIdle() {
      // No process to keep alive.
    },
  });
  const ring = async (): Promise<void> => {
    time = Math.max(time, alarmAt);
    alarmAt = Number.POSITIVE_INFINITY;
    timers.ring();
    await settle();
  };
  return {
    now: () => time,
    epochMs: () => Math.round(time + wallOffset),
    setTimer: (delayMs, fire, background) => timers.set(delayMs, fire, background),
    clearTimer: (handle) => timers.clear(handle),
    createCancelSource: () => new LazyCancelSource((globalThis as { readonly AbortController?: ControllerConstructor }).AbortController),
    randomSeed: () => seed,
    defer: (task) => void Promise.resolve().then(task).then(undefined, ignore),
    async advance(milliseconds) {
      const target = time + milliseconds;
      await settle();
      while (timers.size > 0 && alarmAt <= target) await ring();
      time = target;
      await settle();
    },
    async until(promise) {
      await ringUntil(promise, timers, ring);
      return promise;
    },
    stepWallClock(milliseconds) {
      wallOffset += milliseconds;
    },
    sleep(milliseconds) {
      time += milliseconds;
    },
    settle,
    get pendingTimers() {
      return timers.size;
    },
  };
}
