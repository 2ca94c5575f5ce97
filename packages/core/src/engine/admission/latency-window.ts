/** Owns the recent durations of a tool's successful attempts, for hedging. Bounded; sorted only when asked. */

const SIZE = 128;
/** With fewer samples, a p95 is mostly the maximum. */
const MIN_COUNT = 20;
/** New samples between two computations: computing it for every call would cost more than the rest of the call, and so few samples hardly move it. */
const REFRESH_AFTER = 32;

export class LatencyWindow {
  /** Created by the first sample: most of the thousands of tools of a gateway are never called. */
  #samples: Float64Array | undefined;
  #count = 0;
  #fresh = REFRESH_AFTER;
  #p95 = 0;

  observe(durationMs: number): void {
    this.#samples ??= new Float64Array(SIZE);
    this.#samples[this.#count % SIZE] = durationMs;
    this.#count += 1;
    this.#fresh += 1;
  }

  /** The 95th percentile of recent attempts; undefined while there are too few of them. */
  p95(): number | undefined {
    if (this.#samples === undefined || this.#count < MIN_COUNT) return undefined;
    if (this.#fresh >= REFRESH_AFTER) {
      const sorted = this.#samples.slice(0, this.#count).sort();
      this.#p95 = sorted[Math.floor(sorted.length * 0.95)] as number;
      this.#fresh = 0;
    }
    return this.#p95;
  }
}
