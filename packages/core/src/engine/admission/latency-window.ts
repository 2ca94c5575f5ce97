/** Owns the recent durations of a tool's successful attempts, for hedging. Bounded; sorted only when asked. */

export interface LatencyWindow {
  observe(durationMs: number): void;
  /** The 95th percentile of recent attempts; undefined while there are too few of them. */
  p95(): number | undefined;
}

const SIZE = 128;
/** With fewer samples, a p95 is mostly the maximum. */
const MIN_COUNT = 20;
/** New samples between two computations: computing it for every call would cost more than the rest of the call, and so few samples hardly move it. */
const REFRESH_AFTER = 32;

export function createLatencyWindow(): LatencyWindow {
  /** Created by the first sample: most of the thousands of tools of a gateway are never called. */
  let samples: Float64Array | undefined;
  let count = 0;
  let next = 0;
  let fresh = REFRESH_AFTER;
  let p95: number | undefined;
  return {
    observe(durationMs) {
      samples ??= new Float64Array(SIZE);
      samples[next] = durationMs;
      next = (next + 1) % SIZE;
      if (count < SIZE) count += 1;
      fresh += 1;
    },
    p95() {
      if (samples === undefined || count < MIN_COUNT) return undefined;
      if (fresh >= REFRESH_AFTER) {
        p95 = largest(samples, count, rankOf(count));
        fresh = 0;
      }
      return p95;
    },
  };
}

/** The rank of the 95th percentile, counted from the largest. */
function rankOf(count: number): number {
  return count - Math.floor(count * 0.95);
}

/** The `rank`th largest of the first `count`. Keeps only that many in order: sorting all of them takes ten times as long. */
function largest(samples: Float64Array, count: number, rank: number): number {
  const kept = new Float64Array(rank).fill(-Infinity);
  for (let index = 0; index < count; index++) {
    const sample = samples[index] as number;
    if (sample <= (kept[0] as number)) continue;
    let place = 0;
    for (; place + 1 < rank && (kept[place + 1] as number) < sample; place++) kept[place] = kept[place + 1] as number;
    kept[place] = sample;
  }
  return kept[0] as number;
}
