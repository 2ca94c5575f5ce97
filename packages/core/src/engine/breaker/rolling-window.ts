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
  /** Index of the newest bucket. */
  newest: number;
  readonly columns: number;
  /** Row-major: bucket, then column. */
  readonly counts: Float64Array;
}

export function createRollingWindow(windowMs: number, columns: number): RollingWindow {
  return { bucketMs: bucketMsOf(windowMs), bucketStart: -Infinity, newest: 0, columns, counts: new Float64Array(bucketCount * columns) };
}

export function clearWindow(window: RollingWindow): void {
  window.counts.fill(0);
  window.bucketStart = -Infinity;
}

/** Keeps the counts and spreads them over the new length. */
export function resizeWindow(window: RollingWindow, windowMs: number): void {
  window.bucketMs = bucketMsOf(windowMs);
}

/** Drops the buckets that have passed. Call before counting and before reading a total. */
export function rollWindow(window: RollingWindow, now: number): void {
  const { bucketMs, columns, counts } = window;
  const steps = Math.floor((now - window.bucketStart) / bucketMs);
  if (steps > -bucketCount && steps <= 0) return;
  if (!(steps > 0 && steps < bucketCount)) {
    clearWindow(window);
    window.bucketStart = now;
    return;
  }
  for (let step = 0; step < steps; step += 1) {
    window.newest = (window.newest + 1) % bucketCount;
    counts.fill(0, window.newest * columns, (window.newest + 1) * columns);
  }
  window.bucketStart += steps * bucketMs;
}

/** Counts into the newest bucket: call `roll` first. */
export function addToWindow({ counts, newest, columns }: RollingWindow, column: number): void {
  const index = newest * columns + column;
  counts[index] = (counts[index] ?? 0) + 1;
}

export function totalOf({ counts, columns }: RollingWindow, column: number): number {
  let total = 0;
  for (let index = column; index < counts.length; index += columns) total += counts[index] ?? 0;
  return total;
}

/** When the bucket of that `age` expires (0: the oldest), and what it holds, for looking ahead. */
export function bucketFromOldest(window: RollingWindow, age: number): { readonly dropsAt: number; readonly counts: readonly number[] } {
  return { dropsAt: window.bucketStart + (age + 1) * window.bucketMs, counts: countsOf(window, age) };
}

/** All buckets, oldest first. */
export function bucketsOf(window: RollingWindow): readonly (readonly number[])[] {
  const buckets: (readonly number[])[] = [];
  for (let age = 0; age < bucketCount; age += 1) buckets.push(countsOf(window, age));
  return buckets;
}

/** Written out, since every turn begins with it and the methods of Array take ten times as long. */
function countsOf({ newest, columns, counts }: RollingWindow, age: number): readonly number[] {
  const start = ((newest + 1 + age) % bucketCount) * columns;
  const bucket: number[] = [];
  for (let column = 0; column < columns; column += 1) bucket.push(counts[start + column] ?? 0);
  return bucket;
}

/** The reverse of `bucketsOf`. */
export function fillWindow(window: RollingWindow, buckets: readonly (readonly number[])[], bucketStart: number): void {
  const { columns, counts } = window;
  window.newest = bucketCount - 1;
  window.bucketStart = bucketStart;
  for (let index = 0; index < counts.length; index += 1) {
    counts[index] = buckets[Math.floor(index / columns)]?.[index % columns] ?? 0;
  }
}

/** Never 0 and never infinite, so that ages can be divided by it. */
function bucketMsOf(windowMs: number): number {
  return Math.min(Math.max(windowMs / bucketCount, Number.EPSILON), maxMs);
}
