import fc from 'fast-check';
import { expect, test } from 'vitest';
import { headOf, truncate } from '../../../src/engine/plain/truncate.ts';

test('a short text is unchanged, a longer one is marked', () => {
  expect(truncate('hotel', 5)).toBe('hotel');
  expect(truncate('hotels', 5)).toBe('hotel…');
  expect(truncate('hotels', 5, ' (truncated)')).toBe('hotel (truncated)');
  expect(truncate('hotels', 0)).toBe('…');
  expect(truncate('', -1)).toBe('…');
});

test('no surrogate pair is split', () => {
  expect(truncate('a😀b', 2)).toBe('a…');
  expect(truncate('a😀b', 3)).toBe('a😀…');
  expect(headOf('😀', 1)).toBe('');
  expect(headOf('😀', 2)).toBe('😀');
});

test('a well-formed text stays well-formed, within the limit', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: -2, max: 12 }), (text, maxChars) => {
      const head = headOf(text, maxChars);
      expect(head).not.toMatch(/\p{Surrogate}/u);
      expect(text.startsWith(head)).toBe(true);
      expect(head.length).toBeLessThanOrEqual(Math.max(maxChars, 0));
      expect(head.length).toBeGreaterThanOrEqual(Math.min(maxChars - 1, text.length));
    }),
  );
});

test('half a pair that a text ends with is kept: it was not split here', () => {
  expect(headOf('a\uD83D', 2)).toBe('a\uD83D');
  expect(headOf('a\uD83D', 9)).toBe('a\uD83D');
});
