import fc from 'fast-check';
import { expect, it } from 'vitest';
import { wilsonInterval } from '../../../src/projections/alerts/wilson.ts';
import { holds, wilsonMargin } from '../../../src/projections/alerts/measure.ts';
import { DEVIATIONS_95 } from '../../../src/projections/alerts/wilson.ts';

it.each([
  [3, 20, 0.0524, 0.3604],
  [0, 10, 0, 0.2775],
  [10, 10, 0.7225, 1],
  [1, 2, 0.0945, 0.9055],
])('%i of %i', (part, volume, lower, upper) => {
  const interval = wilsonInterval(part, volume);
  expect(interval.lower).toBeCloseTo(lower, 4);
  expect(interval.upper).toBeCloseTo(upper, 4);
});

it('the interval of an empty sample is 0 to 1', () => {
  expect(wilsonInterval(0, 0)).toEqual({ lower: 0, upper: 1 });
});

it('the lower bound is above the limit exactly when the count is above its margin', () => {
  const condition = {
    kind: 'ratio',
    part: { metric: 'p', what: 'p' },
    whole: { metric: 'w', what: 'w' },
    deviations: DEVIATIONS_95,
  } as const;
  const counts = fc.integer({ min: 1, max: 3_000 }).chain((volume) => fc.tuple(fc.integer({ min: 0, max: volume }), fc.constant(volume)));
  fc.assert(
    fc.property(counts, fc.integer({ min: 1, max: 99 }), ([part, volume], percent) => {
      const above = percent / 100;
      const { lower } = wilsonInterval(part, volume);
      // When both are equal up to rounding, either result is right.
      fc.pre(Math.abs(lower - above) > 1e-9);
      const measured = { labels: {}, value: part / volume, part, volume };
      expect(holds({ ...condition, above }, measured, false)).toBe(lower > above);
      expect(part > above * volume + wilsonMargin({ ...condition, above }) * Math.sqrt(volume)).toBe(lower > above);
    }),
    { numRuns: 1_000 },
  );
});
