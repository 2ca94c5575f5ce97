/**
 * Owns when a hedge, a second attempt beside a slow one, may start. Knows neither the call machine nor timers: the driver asks, and reports what succeeded.
 *
 * Where calls wait for recovery, a hedge is never a probe and never takes a queued call's slot, and successes pay for it as for a retry that costs the tool work.
 */
import type { HedgeSettings } from '../settings/settings.ts';
import { numbers } from './adaptive/numbers.ts';
import { isSlow } from './adaptive/usual-duration.ts';
import { actingCircuit } from './health.ts';
import type { Gate } from './gate-state.ts';

/** Above this share of failures, where it is learned, retries cause the load that hedges would add. */
const MAX_FAILURE_SHARE = 0.1;
/** A shorter delay gains nothing, and its timer costs more than the call. */
const MIN_DELAY_MS = 10;
/** A tool that usually answers sooner runs in this process: a hedge would meet the same delay as the first attempt. */
const MIN_P95_MS = 1;

/** How long an attempt that starts now runs before it is hedged; undefined when it will not be. */
export function hedgeDelayMs(latency: LatencyWindow, { afterMs }: HedgeSettings, { adaptive }: Gate): number | undefined {
  if (adaptive !== undefined && (adaptive.failureShare > MAX_FAILURE_SHARE || isSlow(adaptive.durations))) return undefined;
  if (afterMs !== 'p95') return afterMs;
  const p95 = latency.p95();
  if (p95 === undefined || adaptive === undefined) return p95;
  // Before that, the first attempt is likely to end as soon as the hedge would.
  const leastMs = Math.max(MIN_DELAY_MS, numbers.slow * adaptive.durations.usualMs);
  return p95 < MIN_P95_MS ? undefined : Math.max(p95, leastMs);
}

/** Whether a hedge may ask for admission now, for a tool whose calls wait for recovery. It leaves a slot to the next first attempt, and all of a rate limit. */
export function mayHedge(gate: Gate, now: number): boolean {
  const { limit, queued, slots } = gate.bulkhead;
  return queued === 0 && slots.taken + 1 < limit && gate.limiter === undefined && actingCircuit(gate, now) === 'closed';
}

const SIZE = 128;
/** With fewer samples, a p95 is mostly the maximum. */
const MIN_COUNT = 20;
/** New samples between two computations: computing it for every call would cost more than the rest of the call, and so few samples hardly move it. */
const REFRESH_AFTER = 32;

/** The recent durations of a tool's successful attempts. Bounded; sorted only when asked. */
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
