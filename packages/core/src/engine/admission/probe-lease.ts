/** Owns the least lease of a probe. */

/** Between the time limit of a probe and the end of its lease. */
const PROBE_GRACE_MS = 1_000;

/** Longer than the probe's attempt; 0 for an attempt without a time limit, whose lease is that of the settings. */
export function probeLeaseMs(timeLimitMs: number = Infinity): number {
  return timeLimitMs === Infinity ? 0 : timeLimitMs + PROBE_GRACE_MS;
}
