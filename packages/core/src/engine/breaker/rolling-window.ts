/**
 * Counts over the last `windowMs`, in ten buckets that expire one at a time.
 * Owns the arithmetic of the rolling window; knows nothing of what is counted.
 *
 * 1. Memory is fixed at creation: ten buckets per column.
 * 2. No timer: expiry is applied when the window is next used, so an idle window expires all the same.
 * 3. A clock that steps back by less than a window counts into the newest bucket; a longer step starts a new window.
 */
import { maxMs } from './wait.ts';

const bucketCount = 10;

export interface RollingWindow {
  bucketMs: number;
  /** When the newest bucket began. */
  bucketStart: number;
  readonly columns: number;
  /** Oldest first; a count per column in each. */
  buckets: number[][];
}

export function createRollingWindow(windowMs: number, columns: number): RollingWindow {
  return { bucketMs: bucketMsOf(windowMs), bucketStart: -Infinity, columns, buckets: bucketsFor(bucketCount, columns) };
}

/** Keeps the counts and spreads them over the new length. */
export function resizeWindow(window: RollingWindow, windowMs: number): void {
  window.bucketMs = bucketMsOf(windowMs);
}

/** Counts one at `now`. */
export function countIn(window: RollingWindow, column: number, now: number): void {
  rollWindow(window, now);
  const newest = window.buckets[bucketCount - 1] as number[];
  newest[column] = (newest[column] ?? 0) + 1;
}

/** The totals of the columns at `now`. */
export function totalsOf(window: RollingWindow, now: number): readonly number[] {
  rollWindow(window, now);
  return window.buckets.reduce((totals, counts) => totals.map((total, column) => total + (counts[column] ?? 0)));
}

/** When the bucket of that `age` expires (0: the oldest), for looking ahead. */
export function expiryOf({ bucketMs, bucketStart }: RollingWindow, age: number): number {
  return bucketStart + (age + 1) * bucketMs;
}

/** A copy of all buckets. */
export function bucketsOf({ buckets }: RollingWindow): readonly (readonly number[])[] {
  return buckets.map((counts) => [...counts]);
}

/** The reverse of `bucketsOf`; what is missing counts 0. */
export function fillWindow(window: RollingWindow, buckets: readonly (readonly number[])[], bucketStart: number): void {
  window.buckets = bucketsFor(bucketCount, window.columns, buckets);
  window.bucketStart = bucketStart;
}

/** Drops the buckets that have passed. */
function rollWindow(window: RollingWindow, now: number): void {
  const { bucketMs, buckets, columns } = window;
  const steps = Math.floor((now - window.bucketStart) / bucketMs);
  if (steps > -bucketCount && steps <= 0) return;
  if (!(steps > 0 && steps < bucketCount)) return fillWindow(window, [], now);
  buckets.splice(0, steps);
  buckets.push(...bucketsFor(steps, columns));
  window.bucketStart += steps * bucketMs;
}

function bucketsFor(count: number, columns: number, given: readonly (readonly number[])[] = []): number[][] {
  return Array.from({ length: count }, (_, age) => Array.from({ length: columns }, (_count, column) => given[age]?.[column] ?? 0));
}

/** Never 0 and never infinite, so that ages can be divided by it. */
function bucketMsOf(windowMs: number): number {
  return Math.min(Math.max(windowMs / bucketCount, Number.EPSILON), maxMs);
}
