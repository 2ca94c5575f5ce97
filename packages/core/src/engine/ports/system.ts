/**
 * Owns the port to the machine: time, timers, randomness, cancellation. The core accesses the outside world only through it;
 * `../../runtime/system/create-system.ts` implements it for real, `../../testing/manual-system.ts` for tests.
 */
import { withMethods, type Rule } from '../settings/check.ts';
import type { Signal } from './signal.ts';

/** A timer; opaque, pass it back to `clearTimer`. */
export interface TimerHandle {
  /** When the timer is due, on the monotonic clock. */
  readonly dueAt: number;
}

/** The source of one cancel signal. The signal is created when it is first read, since most tools never read it. */
export interface CancelSource {
  /** The signal that tools receive. */
  readonly signal: Signal;
  /** Whether `abort` was called. */
  readonly aborted: boolean;
  /** `makeReason` is called when the signal's reason is first read, if ever. */
  abort(makeReason: () => unknown): void;
}

/** The machine that a service runs on: clocks, timers, randomness and cancel signals. */
export interface System {
  /** Monotonic milliseconds; a step of the wall clock does not move it. */
  now(): number;
  /** Wall clock, milliseconds since 1970. */
  epochMs(): number;
  /**
   * Runs `fire` once, `delayMs` from now; any finite delay, however long. Never runs it synchronously. A timer in the `background` does not keep the
   * process alive. `from` is a recent reading of `now()` that the delay counts from; a system may ignore it. @default now
   */
  setTimer(delayMs: number, fire: () => void, background?: boolean, from?: number): TimerHandle;
  /** Cancels a timer. Does nothing when it has fired or was cleared. */
  clearTimer(handle: TimerHandle): void;
  /** Creates the source of a new cancel signal. */
  createCancelSource(): CancelSource;
  /** A fresh random seed, for a process that has none. */
  randomSeed(): string;
  /** Runs `task` soon, outside the current stack, and ignores its errors: for work that must never delay a call. */
  defer(task: () => void): void;
}

export const systemRule: Rule = withMethods('now', 'epochMs', 'setTimer', 'clearTimer', 'createCancelSource', 'randomSeed', 'defer');
