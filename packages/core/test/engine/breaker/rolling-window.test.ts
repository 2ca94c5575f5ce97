import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addToWindow,
  bucketsOf,
  createRollingWindow,
  expiryOf,
  fillWindow,
  rollWindow,
  totalOf,
  type RollingWindow,
} from '../../../src/engine/breaker/rolling-window.ts';

function countAt(window: RollingWindow, column: number, now: number): void {
  rollWindow(window, now);
  addToWindow(window, column);
}

describe('a rolling window', () => {
  it('counts exactly the samples of its ten buckets', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 60 }), { maxLength: 200 }), (gaps) => {
        const window = createRollingWindow(100, 2);
        const events: { readonly bucket: number; readonly column: number }[] = [];
        let now = 7;
        for (const [index, gap] of gaps.entries()) {
          now += gap;
          const column = index % 2;
          countAt(window, column, now);
          events.push({ bucket: window.bucketStart, column });
          const inside = events.filter((event) => event.bucket > window.bucketStart - 100);
          expect(totalOf(window, 0)).toBe(inside.filter((event) => event.column === 0).length);
          expect(totalOf(window, 1)).toBe(inside.filter((event) => event.column === 1).length);
          expect(now - window.bucketStart).toBeLessThan(10);
        }
      }),
    );
  });

  it('keeps every sample for nine tenths of its length, and none longer than its length', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 500 }), fc.integer({ min: 0, max: 200 }), (before, after) => {
        const window = createRollingWindow(100, 1);
        rollWindow(window, 0);
        countAt(window, 0, before);
        rollWindow(window, before + after);
        expect(totalOf(window, 0)).toBeGreaterThanOrEqual(after <= 90 ? 1 : 0);
        expect(totalOf(window, 0)).toBeLessThanOrEqual(after >= 100 ? 0 : 1);
      }),
    );
  });

  it('expires samples while it is unused', () => {
    const window = createRollingWindow(1_000, 1);
    countAt(window, 0, 0);
    rollWindow(window, 1e12);
    expect(totalOf(window, 0)).toBe(0);
    expect(window.buckets.flat()).toEqual(Array.from({ length: 10 }, () => 0));
  });

  it('adds samples to the newest bucket after a small step back, and is cleared after a large one', () => {
    const window = createRollingWindow(1_000, 1);
    countAt(window, 0, 5_000);
    countAt(window, 0, 4_500);
    expect(totalOf(window, 0)).toBe(2);
    countAt(window, 0, 10);
    expect(totalOf(window, 0)).toBe(1);
    rollWindow(window, 1_010);
    expect(totalOf(window, 0)).toBe(0);
  });

  it.each([Number.POSITIVE_INFINITY, Number.NaN, Number.MAX_VALUE, -Number.MAX_VALUE])(
    'a reading of %d leaves totals that are numbers',
    (now) => {
      const window = createRollingWindow(1_000, 1);
      countAt(window, 0, 5);
      countAt(window, 0, now);
      countAt(window, 0, 6);
      expect(totalOf(window, 0)).toBeGreaterThanOrEqual(1);
      expect(totalOf(window, 0)).toBeLessThanOrEqual(3);
    },
  );

  it('is restored from its buckets', () => {
    const window = createRollingWindow(100, 1);
    for (const now of [0, 5, 12, 40, 88]) countAt(window, 0, now);
    const copy = createRollingWindow(100, 1);
    countAt(copy, 0, 3);
    fillWindow(copy, bucketsOf(window), window.bucketStart);
    expect(totalOf(copy, 0)).toBe(5);
    expect(bucketsOf(copy)).toEqual(bucketsOf(window));
    for (const now of [95, 101, 111, 139, 141, 190]) {
      rollWindow(window, now);
      rollWindow(copy, now);
      expect(totalOf(copy, 0)).toBe(totalOf(window, 0));
    }
    expect(totalOf(copy, 0)).toBe(0);
  });

  it('returns when each bucket expires', () => {
    const window = createRollingWindow(100, 1);
    countAt(window, 0, 3);
    const age = window.buckets.findIndex(([count]) => count === 1);
    expect(expiryOf(window, age)).toBe(103);
    rollWindow(window, 102);
    expect(totalOf(window, 0)).toBe(1);
    rollWindow(window, 103);
    expect(totalOf(window, 0)).toBe(0);
  });
});
