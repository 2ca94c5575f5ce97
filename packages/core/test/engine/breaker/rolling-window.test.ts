import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bucketsOf, countIn, createRollingWindow, expiryOf, fillWindow, totalsOf } from '../../../src/engine/breaker/rolling-window.ts';

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
          countIn(window, column, now);
          events.push({ bucket: window.bucketStart, column });
          const inside = events.filter((event) => event.bucket > window.bucketStart - 100);
          expect(totalsOf(window, now)[0]).toBe(inside.filter((event) => event.column === 0).length);
          expect(totalsOf(window, now)[1]).toBe(inside.filter((event) => event.column === 1).length);
          expect(now - window.bucketStart).toBeLessThan(10);
        }
      }),
    );
  });

  it('keeps every sample for nine tenths of its length, and none longer than its length', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 500 }), fc.integer({ min: 0, max: 200 }), (before, after) => {
        const window = createRollingWindow(100, 1);
        totalsOf(window, 0);
        countIn(window, 0, before);
        const [total] = totalsOf(window, before + after);
        expect(total).toBeGreaterThanOrEqual(after <= 90 ? 1 : 0);
        expect(total).toBeLessThanOrEqual(after >= 100 ? 0 : 1);
      }),
    );
  });

  it('expires samples while it is unused', () => {
    const window = createRollingWindow(1_000, 1);
    countIn(window, 0, 0);
    expect(totalsOf(window, 1e12)).toEqual([0]);
    expect(window.buckets.flat()).toEqual(Array.from({ length: 10 }, () => 0));
  });

  it('adds samples to the newest bucket after a small step back, and is cleared after a large one', () => {
    const window = createRollingWindow(1_000, 1);
    countIn(window, 0, 5_000);
    countIn(window, 0, 4_500);
    expect(totalsOf(window, 4_500)).toEqual([2]);
    countIn(window, 0, 10);
    expect(totalsOf(window, 10)).toEqual([1]);
    expect(totalsOf(window, 1_010)).toEqual([0]);
  });

  it.each([Number.POSITIVE_INFINITY, Number.NaN, Number.MAX_VALUE, -Number.MAX_VALUE])(
    'a reading of %d leaves totals that are numbers',
    (now) => {
      const window = createRollingWindow(1_000, 1);
      countIn(window, 0, 5);
      countIn(window, 0, now);
      countIn(window, 0, 6);
      const [total] = totalsOf(window, 6);
      expect(total).toBeGreaterThanOrEqual(1);
      expect(total).toBeLessThanOrEqual(3);
    },
  );

  it('is restored from its buckets', () => {
    const window = createRollingWindow(100, 1);
    for (const now of [0, 5, 12, 40, 88]) countIn(window, 0, now);
    const copy = createRollingWindow(100, 1);
    countIn(copy, 0, 3);
    fillWindow(copy, bucketsOf(window), window.bucketStart);
    expect(totalsOf(copy, 88)).toEqual([5]);
    expect(bucketsOf(copy)).toEqual(bucketsOf(window));
    for (const now of [95, 101, 111, 139, 141, 190]) expect(totalsOf(copy, now)).toEqual(totalsOf(window, now));
    expect(totalsOf(copy, 190)).toEqual([0]);
  });

  it('returns when each bucket expires', () => {
    const window = createRollingWindow(100, 1);
    countIn(window, 0, 3);
    const age = window.buckets.findIndex(([count]) => count === 1);
    expect(expiryOf(window, age)).toBe(103);
    expect(totalsOf(window, 102)).toEqual([1]);
    expect(totalsOf(window, 103)).toEqual([0]);
  });
});
