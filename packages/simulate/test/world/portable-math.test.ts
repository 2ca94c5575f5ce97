import fc from 'fast-check';
import { expect, test } from 'vitest';
import { exp, log } from '../../src/world/portable-math.ts';

/** In units of the last place of the expected value. */
const distance = (value: number, expected: number): number => {
  if (Object.is(value, expected) || (value === 0 && expected === 0)) return 0;
  return Math.abs(value - expected) / Math.max(Math.abs(expected) * 2 ** -52, Number.MIN_VALUE);
};

test('log and exp are within a unit in the last place of those of the engine', () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true }), (value) => {
      expect(distance(log(Math.abs(value)), Math.log(Math.abs(value)))).toBeLessThanOrEqual(1);
      expect(distance(exp(value), Math.exp(value))).toBeLessThanOrEqual(1);
    }),
    { numRuns: 5_000 },
  );
  fc.assert(
    fc.property(fc.double({ min: -50, max: 50, noNaN: true }), (value) => {
      expect(distance(exp(value), Math.exp(value))).toBeLessThanOrEqual(1);
      expect(distance(log(Math.abs(value) + 1e-12), Math.log(Math.abs(value) + 1e-12))).toBeLessThanOrEqual(1);
    }),
    { numRuns: 5_000 },
  );
});

test('the bits of some results, which hold in every engine', () => {
  const bitsOf = (value: number): string => new BigUint64Array(new Float64Array([value]).buffer)[0]!.toString(16);
  expect([0.1, 0.5, 0.999, 2, 10].map((value) => bitsOf(log(value)))).toEqual([
    'c0026bb1bbb55515',
    'bfe62e42fefa39ef',
    'bf5064670d979b73',
    '3fe62e42fefa39ef',
    '40026bb1bbb55516',
  ]);
  expect([-3, -0.1, 0.3, 5, 6.25].map((value) => bitsOf(exp(value)))).toEqual([
    '3fa97db0ccceb0af',
    '3fecf46d99d52b3a',
    '3ff599058c8c1a96',
    '40628d389970338f',
    '4080301a43d1d8e3',
  ]);
});

test('the ends of the range', () => {
  expect([0, -1, Number.NaN, Infinity].map(log)).toEqual([-Infinity, Number.NaN, Number.NaN, Infinity]);
  expect([-Infinity, Infinity, Number.NaN, 0, 710, -746].map(exp)).toEqual([0, Infinity, Number.NaN, 1, Infinity, 0]);
});
