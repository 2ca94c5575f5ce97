import { describe, expect, test } from 'vitest';
import { shareOf, describeShare } from '../../src/ui/share.model.ts';

const words = (part: number, whole: number) => describeShare(shareOf(part, whole));

describe('shareOf', () => {
  test('gives the Wilson bounds', () => {
    const { low, high } = shareOf(3, 20);
    expect([low.toFixed(3), high.toFixed(3)]).toEqual(['0.052', '0.360']);
    expect(shareOf(0, 0)).toEqual({ part: 0, whole: 0, share: 0, low: 0, high: 0 });
    expect(shareOf(5, 5).high).toBe(1);
  });
});

describe('describeShare', () => {
  test('a percentage has the numbers that it was made from beside it', () => {
    expect(words(3, 20)).toMatchObject({ of: '3 of 20', few: false, high: true });
    expect(words(3, 20).title).toContain('95 % sure of 5.2');
  });

  test('few calls are a hint and never high', () => {
    expect(words(1, 2)).toMatchObject({ few: true, high: false });
    expect(words(19, 19).high).toBe(false);
    expect(words(1, 2).title).toContain('hint');
  });

  test('a share that may be chance is not high', () => {
    expect(words(2, 20).high).toBe(false);
    expect(words(6, 50).high).toBe(true);
    expect(words(5, 50).high).toBe(false);
  });

  test('nothing is not 0 %', () => {
    expect(words(0, 0)).toMatchObject({ value: '–', of: 'no calls' });
  });
});
