import { describe, expect, it } from 'vitest';
import { drawAt, nameAt } from '../../../src/engine/backoff/random.ts';

const COUNT = 20_000;
/** Realistic keys: neighbours differ in one digit. */
const streams: Readonly<Record<string, (index: number) => number>> = {
  'calls of a turn': (index) => drawAt('seed', 'turn-1', `call-${index}`, '2'),
  'attempts of a call': (index) => drawAt('seed', 'turn-1', 'call-1', String(index)),
  turns: (index) => drawAt('seed', `turn-${index}`, 'call-1', '2'),
  seeds: (index) => drawAt(String(index), 'turn-1', 'call-1', '2'),
  'long common prefixes': (index) => drawAt('seed', `${'x'.repeat(500)}${index}`),
};

/** Kolmogorov-Smirnov distance from the uniform distribution. */
function distance(sample: readonly number[]): number {
  const sorted = sample.toSorted((a, b) => a - b);
  return Math.max(
    ...sorted.map((value, index) => Math.max(Math.abs(value - index / sorted.length), Math.abs((index + 1) / sorted.length - value))),
  );
}

function correlation(xs: readonly number[], ys: readonly number[]): number {
  const mean = (list: readonly number[]): number => list.reduce((sum, value) => sum + value, 0) / list.length;
  const [mx, my] = [mean(xs), mean(ys)];
  const sum = (of: (index: number) => number): number => xs.reduce((total, _, index) => total + of(index), 0);
  const at = (list: readonly number[], index: number): number => list[index] ?? 0;
  const covariance = sum((index) => (at(xs, index) - mx) * (at(ys, index) - my));
  return covariance / Math.sqrt(sum((index) => (at(xs, index) - mx) ** 2) * sum((index) => (at(ys, index) - my) ** 2));
}

/** Chi-square of pairs over a grid of 10 × 10. */
function pairChiSquare(xs: readonly number[], ys: readonly number[]): number {
  const cells = Array.from({ length: 100 }, () => 0);
  for (const [index, x] of xs.entries()) {
    const cell = Math.floor(x * 10) * 10 + Math.floor((ys[index] ?? 0) * 10);
    cells[cell] = (cells[cell] ?? 0) + 1;
  }
  const expected = xs.length / 100;
  return cells.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
}

describe.each(Object.entries(streams))('draws over %s', (_name, draw) => {
  const sample = Array.from({ length: COUNT }, (_, index) => draw(index));

  it('are spread evenly over [0, 1)', () => {
    expect(sample.every((value) => value >= 0 && value < 1)).toBe(true);
    // The critical value at 0.1 %: 1.95 / √n.
    expect(distance(sample)).toBeLessThan(1.95 / Math.sqrt(COUNT));
    expect(new Set(sample).size).toBe(COUNT);
  });

  it.each([1, 2, 10, 100])('are independent of the one %i further on', (lag) => {
    const [xs, ys] = [sample.slice(0, -lag), sample.slice(lag)];
    expect(Math.abs(correlation(xs, ys))).toBeLessThan(4 / Math.sqrt(COUNT));
    // 99 degrees of freedom: 148.2 at 0.1 %; a little more for the 20 tests.
    expect(pairChiSquare(xs, ys)).toBeLessThan(165);
  });
});

it('depends only on the seed and the keys, and on where they are separated', () => {
  const before = drawAt('seed', 'a', 'b');
  drawAt('other', 'x');
  expect(drawAt('seed', 'a', 'b')).toBe(before);
  const apart = [
    drawAt('seed', 'ab'),
    drawAt('seed', 'a', 'b'),
    drawAt('seed', 'b', 'a'),
    drawAt('seeda', 'b'),
    drawAt('seed', 'ab', ''),
    drawAt('', 'seed', 'ab'),
  ];
  expect(new Set(apart).size).toBe(apart.length);
});

it('is the same on every platform', () => {
  expect(nameAt('seed', 'turn')).toMatch(/^[0-9a-f]{16}$/);
  expect([nameAt('', ''), nameAt('seed', 'turn', 'ключ', '🗝')]).toEqual(['10204b434d28d8df', '3426d2063ea0d5e7']);
  // Each half keeps its leading zeros.
  expect([nameAt('seed', 'call-20'), nameAt('seed', 'call-1')]).toEqual(['0736618c2e7fd60b', '234a646d043fe153']);
  expect(drawAt('seed', 'turn-1', 'call-1', '2')).toBe(0.8008842346684579);
  expect(drawAt('', '')).toBe(0.06299276726818748);
});
