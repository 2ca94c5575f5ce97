import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { outcomeParts } from '../../src/charts/outcome-bar.model.ts';
import { isEmpty, stackSeries, tableRows } from '../../src/charts/series.model.ts';
import { shiftBars, stackedPaths } from '../../src/charts/sparkbars.model.ts';
import { counts } from '../fixtures.ts';

const box = { width: 30, height: 20, gap: 1 };

describe('stackedPaths', () => {
  test('draws one path per part, bottom to top', () => {
    expect(
      stackedPaths(
        [
          [5, 5],
          [0, 10],
          [0, 0],
        ],
        box,
      ),
    ).toEqual(['M0.5 10h9v10h-9z', 'M0.5 0h9v10h-9zM10.5 0h9v20h-9z']);
  });

  test('one failure in a thousand calls is visible', () => {
    const [, failed] = stackedPaths([[1000, 1]], box);
    expect(failed).toContain('v1h');
  });

  test('few calls do not fill the height', () => {
    expect(stackedPaths([[1]], box)).toEqual(['M0.5 15h29v5h-29z']);
  });

  test('draws nothing outside the box', () => {
    fc.assert(
      fc.property(fc.array(fc.array(fc.nat(5000), { minLength: 3, maxLength: 3 }), { minLength: 1, maxLength: 24 }), (bars) => {
        for (const path of stackedPaths(bars, { width: 240, height: 28, gap: 2 })) {
          for (const [, x, y, width, height] of path.matchAll(/M([\d.]+) (-?[\d.]+)h([\d.]+)v([\d.]+)/gu)) {
            expect(Number(y)).toBeGreaterThanOrEqual(-0.02);
            expect(Number(y) + Number(height)).toBeLessThanOrEqual(28.02);
            expect(Number(x) + Number(width)).toBeLessThanOrEqual(240.02);
          }
        }
      }),
    );
  });
});

describe('shiftBars', () => {
  test('drops old bars and appends empty ones', () => {
    expect(shiftBars([[1], [2], [3]], 1)).toEqual([[2], [3], [0]]);
    expect(shiftBars([[1], [2]], 9)).toEqual([[0], [0]]);
  });

  test('ignores a negative or fractional shift', () => {
    const bars = [[1], [2]];
    expect(shiftBars(bars, -3)).toBe(bars);
    expect(shiftBars(bars, 0.9)).toBe(bars);
    expect(shiftBars([], 4)).toEqual([]);
  });
});

describe('series', () => {
  const series = [
    { id: 'a', label: 'a', fill: '--a', values: [1, null, 0] },
    { id: 'b', label: 'b', fill: '--b', values: [2, 3, 0] },
  ];

  test('stacks values', () => {
    expect(stackSeries(series)).toEqual([
      [1, 0, 0],
      [3, 3, 0],
    ]);
  });

  test('the table lists the newest first and omits empty rows', () => {
    expect(tableRows([10, 20, 30], series)).toEqual([
      { at: 20_000, values: [null, 3] },
      { at: 10_000, values: [1, 2] },
    ]);
  });

  test('detects an empty chart', () => {
    expect(isEmpty(series)).toBe(false);
    expect(isEmpty([{ id: 'a', label: 'a', fill: '--a', values: [0, null] }])).toBe(true);
  });
});

test('refused calls are counted once, and the parts add up to all calls', () => {
  const parts = outcomeParts(counts({ calls: 20, first_try: 8, recovered: 2, failed: 6, refused: 4, skipped: 3, rejected: 1 }));
  expect(Object.fromEntries(parts.map(({ appearance, count }) => [appearance.id, count]))).toEqual({
    first_try: 8,
    recovered: 2,
    failed: 2,
    refused: 4,
    rejected: 1,
    skipped: 3,
  });
  expect(parts.reduce((all, { share }) => all + share, 0)).toBeCloseTo(1);
  expect(outcomeParts(counts()).every(({ share }) => share === 0)).toBe(true);
});
