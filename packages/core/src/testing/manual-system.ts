/**
 * Owns the manual system for tests, with clocks that only a test advances.
 *
 * Invariant: `advance` fires timers in the order of their times, each at its exact time, and lets promises settle after each. After `sleep`, the late timers fire
 * together, as on a real machine.
 */
import { checkOptions } from '../engine/settings/check-options.ts';
import type { NumberRule } from '../engine/settings/check.ts';
import type { System } from '../engine/ports/system.ts';
import { LazyCancelSource } from '../runtime/system/cancel-source.ts';
import type { ControllerConstructor } from '../runtime/system/cancel-source.ts';
import { createTimerList } from '../runtime/system/timer-list.ts';

/** A system for tests with manual clocks. */
export interface ManualSystem extends System {
  /** Advances both clocks by a number of milliseconds. */
  advance(milliseconds: number): Promise<void>;
  /** Advances from timer to timer until `promise` has settled, and settles like it. */
  until<T>(promise: Promise<T>): Promise<T>;
  /** Steps only the wall clock. */
  stepWallClock(milliseconds: number): void;
  /**
   * Advances both clocks without firing timers, like a machine that is suspended or an event loop that is blocked. Timers that were due fire late, in the order of
   * their times, with the next call that advances time otherwise.
   */
  sleep(milliseconds: number): void;
  /** Lets promises settle without advancing time. */
  settle(): Promise<void>;
  /** Number of timers that are set. */
  readonly pendingTimers: number;
}

/** Options of `manualSystem`: the start of its clocks, and its seed. */
export interface ManualSystemOptions {
  /** The monotonic clock at the start, in milliseconds. @default 0 */
  readonly now?: number;
  /** The wall clock at the start, milliseconds since 1970. @default 2025-11-05T10:30:45Z */
  readonly epochMs?: number;
  /** The result of `randomSeed`. @default 'seed' */
  readonly seed?: string;
}

function ignore(): void {
  // As on the real system, an error of a deferred task has no effect.
}

/** The number of microtask turns for which `settle` waits. */
const SETTLE_TURNS = 100;
/** How often `until` settles without a timer before it rejects. */
const MAX_SETTLES = 100;

async function settle(): Promise<void> {
  for (let turn = 0; turn < SETTLE_TURNS; turn++) await Promise.resolve();
}

/** Fires timers until the promise has settled. */
async function fireUntil(promise: Promise<unknown>, timers: { readonly size: number }, fireDue: () => Promise<void>): Promise<void> {
  let settled = false;
  const markSettled = (): void => {
    settled = true;
  };
  promise.then(markSettled, markSettled);
  await settle();
  while (!settled) {
    // Several processes that take over at one moment each replay the whole journal.
    for (let count = 0; timers.size === 0 && !settled && count < MAX_SETTLES; count += 1) await settle();
    if (settled) break;
    if (timers.size === 0) throw new Error('manualSystem: the promise is pending, and no timer is set');
    await fireDue();
  }
}

const moment: NumberRule = ['a number of milliseconds', -Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER];

/** Creates a system whose clocks, timers and random seed a test controls. */
export function manualSystem(options: ManualSystemOptions = {}): ManualSystem {
  checkOptions({ now: moment, epochMs: moment, seed: 'string' }, options, 'manualSystem');
  const { now = 0, epochMs = Date.UTC(2025, 10, 5, 10, 30, 45), seed = 'seed' } = options;
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
  const fireDue = async (): Promise<void> => {
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
      while (timers.size > 0 && alarmAt <= target) await fireDue();
      time = target;
      await settle();
    },
    async until(promise) {
      await fireUntil(promise, timers, fireDue);
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
