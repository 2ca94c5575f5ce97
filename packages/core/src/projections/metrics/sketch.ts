/**
 * Owns the latency sketch: counts in buckets that grow with the value, for percentiles over any number of samples. Does not own time, windows or units.
 *
 * Invariants
 * 1. `quantile(q)` is within 1/64 (1.6 %) of the sample of that rank, for samples from 2^-10 to 2^32; at the ends it is exact (`min`, `max`).
 * 2. `add` is O(1); at most 1,346 buckets exist, and only those with samples are stored.
 * 3. Merging sketches, in any order, gives the sketch of all their samples (`sum` up to rounding).
 */
import { readSketch, type SketchContent, writeSketch } from './sketch-bytes.ts';

export type { SketchContent } from './sketch-bytes.ts';

/** Buckets per power of two: 32 give a relative error of 1/64. */
const bucketsPerOctave = 32;
const lowestOctave = -10;
const maxOctave = 32;
const lowest = 2 ** lowestOctave;
const maxBucket = (maxOctave - lowestOctave) * bucketsPerOctave + 1;

/** Counts of samples in buckets that grow with the value, for percentiles within 1.6 %. */
export interface LatencySketch extends SketchContent {
  /** Samples added. */
  readonly count: number;
  /** Exact sum of the samples. `min` and `max` are exact too, and 0 while there are no samples. */
  readonly sum: number;
  /** Adds a sample. Negative samples count as 0; NaN is ignored. */
  add(sample: number, times?: number): void;
  /** Adds all samples of another sketch. */
  merge(other: SketchContent): void;
  /** Returns the sample at rank `q` (0 to 1, nearest rank); `undefined` while there are none. */
  quantile(q: number): number | undefined;
  /** Returns the binary form: 25 bytes and about three more per bucket with samples. */
  toBytes(): Uint8Array;
}

/**
 * Creates an empty sketch, or the one that `toBytes` wrote.
 * @throws RangeError when the bytes are not a sketch
 */
export function createLatencySketch(bytes?: Uint8Array): LatencySketch {
  const counts = new Map<number, number>();
  let count = 0;
  let sum = 0;
  let min = 0;
  let max = 0;
  const widen = (lower: number, upper: number): void => {
    min = count === 0 ? lower : Math.min(min, lower);
    max = count === 0 ? upper : Math.max(max, upper);
  };
  const sketch: LatencySketch = {
    counts,
    get count() {
      return count;
    },
    get sum() {
      return sum;
    },
    get min() {
      return min;
    },
    get max() {
      return max;
    },
    add(sample, times = 1) {
      if (Number.isNaN(sample) || times <= 0) return;
      const value = Math.min(Math.max(sample, 0), Number.MAX_SAFE_INTEGER);
      widen(value, value);
      const bucket = bucketOf(value);
      counts.set(bucket, (counts.get(bucket) ?? 0) + times);
      count += times;
      sum += value * times;
    },
    merge(other) {
      if (other.counts.size === 0) return;
      widen(other.min, other.max);
      for (const [bucket, times] of other.counts) {
        counts.set(bucket, (counts.get(bucket) ?? 0) + times);
        count += times;
      }
      sum += other.sum;
    },
    quantile(q) {
      if (count === 0) return undefined;
      const rank = Math.min(Math.max(Math.ceil(q * count), 1), count);
      if (rank === 1) return min;
      if (rank === count) return max;
      return Math.min(Math.max(middleOf(bucketAtRank(counts, rank)), min), max);
    },
    toBytes: () => writeSketch(sketch),
  };
  if (bytes) sketch.merge(readSketch(bytes, maxBucket));
  return sketch;
}

/** Returns the bounds of a bucket of `counts`: the first inclusive, the second exclusive. */
export function sketchBucketBounds(bucket: number): readonly [from: number, to: number] {
  if (bucket === 0) return [0, lowest];
  const octave = 2 ** (lowestOctave + Math.floor((bucket - 1) / bucketsPerOctave));
  const step = (bucket - 1) % bucketsPerOctave;
  const from = octave * (1 + step / bucketsPerOctave);
  return [from, bucket === maxBucket ? Number.POSITIVE_INFINITY : from + octave / bucketsPerOctave];
}

function bucketOf(value: number): number {
  if (value < lowest) return 0;
  const estimate = Math.floor(Math.log2(value));
  // The last digit of a logarithm may be wrong; powers of two are exact.
  const exponent = 2 ** estimate > value ? estimate - 1 : 2 ** (estimate + 1) <= value ? estimate + 1 : estimate;
  if (exponent >= maxOctave) return maxBucket;
  return 1 + (exponent - lowestOctave) * bucketsPerOctave + Math.floor((value / 2 ** exponent - 1) * bucketsPerOctave);
}

function middleOf(bucket: number): number {
  const [from, to] = sketchBucketBounds(bucket);
  return to === Number.POSITIVE_INFINITY ? from : (from + to) / 2;
}

function bucketAtRank(counts: ReadonlyMap<number, number>, rank: number): number {
  let passed = 0;
  let last = 0;
  for (const bucket of [...counts.keys()].sort((a, b) => a - b)) {
    last = bucket;
    passed += counts.get(bucket) ?? 0;
    if (passed >= rank) break;
  }
  return last;
}
