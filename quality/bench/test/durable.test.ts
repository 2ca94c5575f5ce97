import { expect, test } from 'vitest';
import { report, type Rounds } from '../src/cases/durable.ts';
import { pageOf } from '../src/report/readme.ts';

const roundsOf = (p50: readonly number[], perSecond: readonly number[]): Rounds => ({
  p50: [...p50],
  p99: [...p50],
  perSecond: [...perSecond],
  scaled: new Map([
    [1, [...perSecond]],
    [2, [...perSecond]],
    [3, [...perSecond]],
  ]),
});

test('the page of durable turns shows the same ratios in its targets and its tables', () => {
  // The medians alone give 2.0; round by round it is 1.0.
  const figures = { holdfast: roundsOf([10, 20, 90], [50, 60, 70]), 'by-hand': roundsOf([10, 10, 90], [50, 90, 140]) };
  const sizes = { holdfast: { entries: 14, bytes: 3000 }, 'by-hand': { entries: 11, bytes: 800 } };
  const made = report(figures, sizes, { server: 1, holdfast: 1, 'by-hand': 1 }, { rounds: 3, sequential: 1, concurrent: 1, warmUp: 1 });
  expect(made.targets.map(({ seen }) => seen)).toEqual(['1.00 ×', '1.50 ×']);
  const machine = { node: 'v24', processor: 'one', cores: 2, memoryGb: 8, system: 'linux', date: '2026-01-02' };
  for (const seen of ['1.00 ×', '1.50 ×']) expect(pageOf(made, machine).split(`| ${seen} |`)).toHaveLength(3);
});
