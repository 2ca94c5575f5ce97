import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createQuantiles } from '../../src/metrics/quantiles.ts';

describe('quantiles', () => {
  it('are within 0.3 % of the sample of that rank', () => {
    const samples = fc.array(fc.double({ min: 0.1, max: 1e8, noNaN: true }), { minLength: 1, maxLength: 300 });
    fc.assert(
      fc.property(samples, fc.double({ min: 0, max: 1, noNaN: true }), (values, share) => {
        const quantiles = createQuantiles();
        for (const value of values) quantiles.add(value);
        const exact = values.toSorted((one, other) => one - other)[Math.max(1, Math.ceil(share * values.length)) - 1] ?? 0;
        expect(Math.abs((quantiles.at(share) ?? 0) / exact - 1)).toBeLessThan(0.003);
      }),
    );
  });

  it('are undefined without samples', () => {
    const quantiles = createQuantiles();
    expect([quantiles.at(0.5), quantiles.mean, quantiles.count]).toEqual([null, null, 0]);
  });

  it('clamp samples that are too small or too large', () => {
    const quantiles = createQuantiles();
    quantiles.add(0);
    quantiles.add(1e15);
    expect(quantiles.at(0)).toBeLessThan(0.07);
    expect(quantiles.at(1)).toBeGreaterThan(1e9);
  });
});
