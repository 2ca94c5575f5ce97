/**
 * Owns when a hedge, a second attempt beside a slow one, starts, and how many hedges a tool may have.
 * Knows neither the call machine nor timers: the driver asks, and reports what was admitted and what succeeded.
 *
 * 1. About one call in twenty is slower than the 95th percentile when nothing is wrong: that many may be hedged. Hedges that return as fast as usual, as with
 *    one slow replica of many, earn further ones; where everything is slow they would only add load.
 * 2. Where calls wait for recovery, a hedge is never a probe, never takes a queued call's slot and never goes over its credit.
 */
import type { HedgeSettings } from '../settings/settings.ts';
import { isSlow } from './adaptive/usual-duration.ts';
import { actingCircuit } from './health.ts';
import { createLatencyWindow, type LatencyWindow } from './latency-window.ts';
import type { Gate, Permit } from './types.ts';

export interface Hedging {
  readonly latency: LatencyWindow;
  /** Number of hedges that may start now. */
  credit: number;
  /** Permits of the running hedges. */
  readonly permits: WeakSet<Permit>;
}

/** Credit that each admitted attempt earns. */
const HEDGED_SHARE = 0.05;
/** Maximum number of hedges in a row, after the others were fast. */
const MAX_CREDIT = 5;
/** Above this share of failures, where it is learned, retries cause the load that hedges would add. */
const MAX_FAILURE_SHARE = 0.1;
/** A shorter delay gains nothing, and its timer costs more than the call. */
const MIN_DELAY_MS = 10;
/** A tool that usually answers sooner runs in this process: a hedge would meet the same delay as the first attempt. */
const MIN_P95_MS = 1;

export function createHedging(): Hedging {
  return { latency: createLatencyWindow(), credit: 1, permits: new WeakSet() };
}

/** How long an attempt that starts now runs before it is hedged; undefined when it will not be. */
export function hedgeDelayMs({ latency }: Hedging, { afterMs }: HedgeSettings, { adaptive }: Gate): number | undefined {
  if (adaptive !== undefined && (adaptive.failureShare > MAX_FAILURE_SHARE || isSlow(adaptive.durations))) return undefined;
  if (afterMs !== 'p95') return afterMs;
  const p95 = latency.p95();
  if (p95 === undefined || adaptive === undefined) return p95;
  return p95 < MIN_P95_MS ? undefined : Math.max(p95, MIN_DELAY_MS);
}

/** Whether a hedge may start now, for a tool whose calls wait for recovery. */
export function mayHedge({ credit }: Hedging, gate: Gate, now: number): boolean {
  return gate.bulkhead.queued === 0 && actingCircuit(gate, now) === 'closed' && credit >= 1;
}

export function attemptAdmitted(hedging: Hedging): void {
  earn(hedging, HEDGED_SHARE);
}

export function hedgeAdmitted(hedging: Hedging, permit: Permit): void {
  // Without waiting for recovery the credit is not checked, so no debt may build up.
  hedging.credit = Math.max(hedging.credit - 1, 0);
  hedging.permits.add(permit);
}

export function attemptSucceeded(hedging: Hedging, permit: Permit, durationMs: number): void {
  const { latency, permits } = hedging;
  if (permits.has(permit) && durationMs <= (latency.p95() ?? 0)) earn(hedging, 1);
  latency.observe(durationMs);
}

function earn(hedging: Hedging, credit: number): void {
  hedging.credit = Math.min(hedging.credit + credit, MAX_CREDIT);
}
