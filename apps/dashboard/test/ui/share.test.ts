import { describe, expect, test } from 'vitest';
import { shareOf, describeShare } from '../../src/ui/share.model.ts';

const describePart = (part: number, whole: number) => describeShare(shareOf(part, whole));

describe('shareOf', () => {
  test('computes the Wilson bounds', () => {
    const { low, high } = shareOf(3, 20);
    expect([low.toFixed(3), high.toFixed(3)]).toEqual(['0.052', '0.360']);
    expect(shareOf(0, 0)).toEqual({ part: 0, whole: 0, share: 0, low: 0, high: 0 });
    expect(shareOf(5, 5).high).toBe(1);
  });
});

describe('describeShare', () => {
  test('a percentage comes with its counts and interval', () => {
    expect(describePart(3, 20)).toMatchObject({ of: '3 of 20', few: false, high: true });
    expect(describePart(3, 20).title).toContain('95 % confidence interval 5.2');
  });

  test('few calls are marked as such and never high', () => {
    expect(describePart(1, 2)).toMatchObject({ few: true, high: false });
    expect(describePart(4, 4).high).toBe(false);
    expect(describePart(5, 5).high).toBe(true);
    expect(describePart(1, 2).title).toContain('not conclusive');
  });

  test('a share that is not significant is not high', () => {
    expect(describePart(2, 20).high).toBe(false);
    expect(describePart(6, 50).high).toBe(true);
    expect(describePart(5, 50).high).toBe(false);
  });

  test('no calls give a dash, not 0 %', () => {
    expect(describePart(0, 0)).toMatchObject({ value: '–', of: 'no calls' });
  });
});
