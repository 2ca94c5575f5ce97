import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLatencySketch, sketchBucketBounds, type LatencySketch } from '../../../src/projections/metrics/sketch.ts';

const sketchOf = (samples: readonly number[]): LatencySketch => {
  const sketch = createLatencySketch();
  for (const sample of samples) sketch.add(sample);
  return sketch;
};

const sample = fc.oneof(
  fc.double({ min: 2 ** -10, max: 2 ** 32 - 1, noNaN: true }),
  fc.integer({ min: 1, max: 60_000 }),
  fc.integer({ min: -10, max: 31 }).map((exponent) => 2 ** exponent),
);
const samples = fc.array(sample, { minLength: 1, maxLength: 300 });

const content = ({ count, min, max, counts }: LatencySketch): unknown => ({
  count,
  min,
  max,
  counts: new Map([...counts].toSorted(([a], [b]) => a - b)),
});

describe('the latency sketch', () => {
  it('is within 1/64 of the sample of each rank', () => {
    fc.assert(
      fc.property(samples, fc.double({ min: 0, max: 1, noNaN: true }), (list, q) => {
        const exact = list.toSorted((a, b) => a - b)[Math.max(Math.ceil(q * list.length), 1) - 1] ?? 0;
        const estimate = sketchOf(list).quantile(q) ?? Number.NaN;
        expect(Math.abs(estimate - exact)).toBeLessThanOrEqual(exact / 64);
      }),
      { numRuns: 500 },
    );
  });

  it('counts each sample in the bucket whose bounds contain it', () => {
    fc.assert(
      fc.property(sample, (value) => {
        const [bucket] = [...sketchOf([value]).counts.keys()];
        const [from, to] = sketchBucketBounds(bucket ?? -1);
        expect(value >= from && value < to).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });

  it('has buckets without gap or overlap', () => {
    for (let bucket = 0; bucket < 1345; bucket += 1) expect(sketchBucketBounds(bucket)[1]).toBe(sketchBucketBounds(bucket + 1)[0]);
    expect(sketchBucketBounds(1345)).toEqual([2 ** 32, Number.POSITIVE_INFINITY]);
  });

  it('merges into the sketch of all samples', () => {
    fc.assert(
      fc.property(samples, samples, (one, other) => {
        const merged = sketchOf(one);
        merged.merge(sketchOf(other));
        expect(content(merged)).toEqual(content(sketchOf([...one, ...other])));
        expect(merged.sum).toBeCloseTo(
          [...one, ...other].reduce((sum, value) => sum + value, 0),
          -2,
        );
      }),
    );
  });

  it('can be merged with itself', () => {
    const sketch = sketchOf([1, 2, 3]);
    sketch.merge(sketch);
    expect([sketch.count, sketch.sum, sketch.quantile(1)]).toEqual([6, 12, 3]);
  });

  it('is restored unchanged from its bytes', () => {
    fc.assert(
      fc.property(samples, fc.integer({ min: 1, max: 2 ** 40 }), (list, times) => {
        const sketch = sketchOf(list);
        sketch.add(7, times);
        const bytes = sketch.toBytes();
        const back = createLatencySketch(bytes);
        expect(content(back)).toEqual(content(sketch));
        expect(back.sum).toBe(sketch.sum);
        expect(back.toBytes()).toEqual(bytes);
        expect(bytes.length).toBeLessThanOrEqual(25 + 3 * sketch.counts.size + 6 + sketch.counts.size);
      }),
    );
  });

  it('rejects bytes that are not a sketch', () => {
    const bytes = sketchOf([1, 10, 100, 1000]).toBytes();
    for (let length = 0; length < 25; length += 1) expect(() => createLatencySketch(bytes.slice(0, length))).toThrow(RangeError);
    expect(() => createLatencySketch(bytes.slice(0, -1))).toThrow('unexpected end');
    const outcome = (invalid: Uint8Array): unknown => {
      try {
        return createLatencySketch(invalid).count;
      } catch (error) {
        return error instanceof RangeError;
      }
    };
    const headed = fc.uint8Array({ maxLength: 60 }).map((tail) => Uint8Array.from([1, ...tail]));
    fc.assert(fc.property(headed, (invalid) => outcome(invalid) !== false));
  });

  it('accepts any number that a clock may return', () => {
    const sketch = sketchOf([0, -5, Number.NaN, Number.POSITIVE_INFINITY, 0.0001]);
    expect([sketch.count, sketch.min, sketch.max]).toEqual([4, 0, Number.MAX_SAFE_INTEGER]);
    expect(sketch.quantile(0.5)).toBeLessThan(0.001);
    expect(createLatencySketch().quantile(0.5)).toBeUndefined();
    expect(createLatencySketch(createLatencySketch().toBytes()).count).toBe(0);
  });

  it('stores a million samples in few bytes', () => {
    const sketch = createLatencySketch();
    for (let index = 0; index < 1_000_000; index += 1) sketch.add((index * 7919) % 30_000);
    expect(sketch.count).toBe(1_000_000);
    expect(sketch.toBytes().length).toBeLessThan(3200);
    for (const q of [0.5, 0.9, 0.99, 0.999]) expect(Math.abs((sketch.quantile(q) ?? 0) - q * 30_000)).toBeLessThan((q * 30_000) / 60);
  });
});
