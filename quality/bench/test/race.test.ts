import { expect, test } from 'vitest';
import { ratioTarget, timingTable } from '../src/report/timing-table.ts';
import { race, type Effort } from '../src/timing/race.ts';
import { median, medianRatio, quantile } from '../src/timing/statistics.ts';

const effort: Effort = { rounds: 3, samples: 2, sampleMs: 1, warmUpMs: 1, counts: 'p50' };

test('every entrant is timed in every round, including one that rejects', async () => {
  let calls = 0;
  const timings = await race(
    [
      { name: 'answers', call: async () => (calls += 1) },
      { name: 'rejects', call: () => Promise.reject(new Error('refused')), rejects: true },
    ],
    effort,
  );
  expect(timings.map(({ name, rounds }) => [name, rounds.length])).toEqual([
    ['answers', 3],
    ['rejects', 3],
  ]);
  expect(calls).toBeGreaterThan(0);
});

test('an unexpected rejection ends the race', async () => {
  await expect(race([{ name: 'rejects', call: () => Promise.reject(new Error('broken')) }], effort)).rejects.toThrow('broken');
});

test('quantiles are interpolated; ratios are computed round by round', () => {
  expect(quantile([4, 1, 3, 2], 0.25)).toBe(1.75);
  expect(median([3, 1, 2])).toBe(2);
  // The second round was slow for both.
  expect(medianRatio([2, 200, 4], [1, 100, 1])).toBe(2);
});

test('a target is met at its limit and not beyond; it is left out if its opponent did not run', () => {
  const timings = [
    { name: 'Holdfast', rounds: [150, 150] },
    { name: 'opossum 10', rounds: [100, 100] },
  ];
  const met = (atMost: number): readonly boolean[] =>
    ratioTarget(timings, { of: 'Holdfast', to: 'opossum 10', atMost }).map((target) => target.met);
  expect([met(1.5), met(1.49)]).toEqual([[true], [false]]);
  expect(ratioTarget(timings, { of: 'Holdfast', to: 'cockatiel 4', atMost: 1 })).toEqual([]);
  expect(timingTable(timings, 'Holdfast').rows).toContainEqual(['opossum 10', '100 ns', '100 ns', '100 ns', '0.67']);
});
