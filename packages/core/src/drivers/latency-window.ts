/** Owns the recent durations of a tool's successful attempts, for hedging. Bounded; sorted only when asked. */

export interface LatencyWindow {
  observe(durationMs: number): void;
  /** The duration that 95 % of recent attempts stayed under, once there are enough of them. */
  p95(): number | undefined;
}

const SIZE = 128;
/** A p95 of fewer samples is mostly their maximum. */
const ENOUGH = 20;

export function createLatencyWindow(): LatencyWindow {
  const samples: number[] = [];
  let next = 0;
  return {
    observe(durationMs) {
      samples[next] = durationMs;
      next = (next + 1) % SIZE;
    },
    p95() {
      if (samples.length < ENOUGH) return undefined;
      const sorted = samples.toSorted((a, b) => a - b);
      return sorted[Math.floor(sorted.length * 0.95)];
    },
  };
}
