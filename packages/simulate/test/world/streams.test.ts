import { describe, expect, it } from 'vitest';
import { createStream, keyOf } from '../../src/world/streams.ts';

const count = 20_000;
const numbers = Array.from({ length: count }, (_, index) => index);

/** Of values spread evenly over [0, 1): each of 20 bins within five standard deviations. */
function isSpread(values: readonly number[]): boolean {
  const bins = Array.from({ length: 20 }, () => 0);
  for (const value of values) bins[Math.floor(value * 20)] = (bins[Math.floor(value * 20)] ?? 0) + 1;
  const expected = values.length / 20;
  return bins.every((bin) => Math.abs(bin - expected) < 5 * Math.sqrt(expected));
}

function correlation(one: readonly number[], other: readonly number[]): number {
  const sum = one.reduce((total, value, index) => total + (value - 0.5) * ((other[index] ?? 0) - 0.5), 0);
  return (sum / one.length) * 12;
}

describe('a stream', () => {
  const stream = createStream('seed', 'latency');

  it('depends only on seed, name and numbers', () => {
    const before = stream(7, 3);
    stream(8, 3);
    expect(stream(7, 3)).toBe(before);
    expect(createStream('seed', 'latency')(7, 3)).toBe(before);
    expect(createStream('seed', 'chance')(7, 3)).not.toBe(before);
    expect(createStream('other', 'latency')(7, 3)).not.toBe(before);
    expect(stream(3, 7)).not.toBe(before);
  });

  it('is uniform along either number', () => {
    expect(isSpread(numbers.map((number) => stream(number)))).toBe(true);
    expect(isSpread(numbers.map((number) => stream(5, number)))).toBe(true);
    expect(isSpread(numbers.map((number) => stream(keyOf(0, number), 1)))).toBe(true);
  });

  it('is independent of its neighbours and of other streams', () => {
    const values = numbers.map((number) => stream(number, 1));
    const bound = 5 / Math.sqrt(count);
    expect(
      Math.abs(
        correlation(
          values,
          numbers.map((number) => stream(number + 1, 1)),
        ),
      ),
    ).toBeLessThan(bound);
    expect(
      Math.abs(
        correlation(
          values,
          numbers.map((number) => stream(number, 2)),
        ),
      ),
    ).toBeLessThan(bound);
    const other = createStream('seed', 'chance');
    expect(
      Math.abs(
        correlation(
          values,
          numbers.map((number) => other(number, 1)),
        ),
      ),
    ).toBeLessThan(bound);
  });
});

it('keys of different numbers differ', () => {
  const keys = new Set(Array.from({ length: 30 }, (_, group) => numbers.slice(0, 1_000).map((nth) => keyOf(group, nth))).flat());
  // By chance, a tenth of a pair would collide among 30,000 of 2^32.
  expect(keys.size).toBeGreaterThan(29_997);
  expect(keyOf(1, 2)).not.toBe(keyOf(2, 1));
});
