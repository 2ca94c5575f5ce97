/** Owns the recent durations of a tool's successful attempts, for hedging. Bounded; sorted only when asked. */

export interface LatencyWindow {
  observe(durationMs: number): void;
  /** The duration that 95 % of recent attempts stayed under, once there are enough of them. */
  p95(): number | undefined;
}

const SIZE = 128;
/** A p95 of fewer samples is mostly their maximum. */
const ENOUGH = 20;
/** Sorting at every question would cost more than the rest of a call; so few new samples hardly move it. */
const SORTED_EVERY = 32;

export function createLatencyWindow(): LatencyWindow {
  const samples = new Float64Array(SIZE);
  let count = 0;
  let next = 0;
  let fresh = SORTED_EVERY;
  let p95: number | undefined;
  return {
    observe(durationMs) {
      samples[next] = durationMs;
      next = (next + 1) % SIZE;
      if (count < SIZE) count += 1;
      fresh += 1;
    },
    p95() {
      if (count < ENOUGH) return undefined;
      if (fresh >= SORTED_EVERY) {
        p95 = samples.slice(0, count).sort()[Math.floor(count * 0.95)];
        fresh = 0;
      }
      return p95;
    },
  };
}
