/**
 * Counts over the last `windowMs`, kept in ten buckets that are thrown away whole.
 * Owns the arithmetic of rolling; knows nothing of what is counted.
 *
 * 1. Memory is fixed at creation: ten buckets and a total per column.
 * 2. No timer: time passing is applied when the window is next touched, so an idle window expires all the same.
 * 3. A total equals the sum of its column's buckets.
 * 4. A step backwards of less than a window counts into the newest bucket; a longer one starts afresh.
 */
import { longestMs } from './wait.ts';

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
  readonly totals: Float64Array;
}

export function createRollingWindow(windowMs: number, columns: number): RollingWindow {
  return {
    bucketMs: bucketMsOf(windowMs),
    bucketStart: Number.NEGATIVE_INFINITY,
    newest: 0,
    columns,
    counts: new Float64Array(bucketCount * columns),
    totals: new Float64Array(columns),
  };
}

export function clearWindow(window: RollingWindow): void {
  window.counts.fill(0);
  window.totals.fill(0);
  window.bucketStart = Number.NEGATIVE_INFINITY;
}

/** Keeps the counts and spreads them over the new length. */
export function resizeWindow(window: RollingWindow, windowMs: number): void {
  window.bucketMs = bucketMsOf(windowMs);
}

/** Drops the buckets that have passed. Call before counting and before reading a total. */
export function rollWindow(window: RollingWindow, now: number): void {
  const age = now - window.bucketStart;
  if (age >= 0 && age < window.bucketMs) return;
  const steps = Math.floor(age / window.bucketMs);
  if (steps < 0 && steps > -bucketCount) return;
  if (!(steps >= 0 && steps < bucketCount)) {
    clearWindow(window);
    window.bucketStart = now;
    return;
  }
  for (let step = 0; step < steps; step += 1) dropOldest(window);
  window.bucketStart += steps * window.bucketMs;
}

/** Counts into the newest bucket: roll the window first. */
export function addToWindow(window: RollingWindow, column: number): void {
  const index = window.newest * window.columns + column;
  window.counts[index] = (window.counts[index] ?? 0) + 1;
  window.totals[column] = (window.totals[column] ?? 0) + 1;
}

export function totalOf(window: RollingWindow, column: number): number {
  return window.totals[column] ?? 0;
}

/** When the oldest bucket but `age` is dropped (0: the oldest), and what it holds, for looking ahead. */
export function bucketFromOldest(window: RollingWindow, age: number): { readonly dropsAt: number; readonly counts: readonly number[] } {
  const start = ((window.newest + 1 + age) % bucketCount) * window.columns;
  return {
    dropsAt: window.bucketStart + (age + 1) * window.bucketMs,
    counts: Array.from(window.counts.subarray(start, start + window.columns)),
  };
}

/** All buckets, oldest first. */
export function bucketsOf(window: RollingWindow): readonly (readonly number[])[] {
  return Array.from({ length: bucketCount }, (_, age) => bucketFromOldest(window, age).counts);
}

/** The reverse of `bucketsOf`. */
export function fillWindow(window: RollingWindow, buckets: readonly (readonly number[])[], bucketStart: number): void {
  clearWindow(window);
  window.newest = bucketCount - 1;
  window.bucketStart = bucketStart;
  for (let bucket = 0; bucket < bucketCount; bucket += 1) {
    for (let column = 0; column < window.columns; column += 1) {
      const count = buckets[bucket]?.[column] ?? 0;
      window.counts[bucket * window.columns + column] = count;
      window.totals[column] = (window.totals[column] ?? 0) + count;
    }
  }
}

/** Never 0 and never infinite, so that ages can be divided by it. */
function bucketMsOf(windowMs: number): number {
  return Math.min(Math.max(windowMs / bucketCount, Number.EPSILON), longestMs);
}

function dropOldest(window: RollingWindow): void {
  window.newest = (window.newest + 1) % bucketCount;
  const start = window.newest * window.columns;
  for (let column = 0; column < window.columns; column += 1) {
    window.totals[column] = (window.totals[column] ?? 0) - (window.counts[start + column] ?? 0);
    window.counts[start + column] = 0;
  }
}
