/**
 * Owns how long a tool's successes usually take, and whether they take much longer now. Slowness stops what the layer adds; it never holds a first attempt.
 */

export interface Durations {
  /** Mean over the last few successes, and over the last two minutes; 0 before the first. */
  recentMs: number;
  usualMs: number;
  samples: number;
  lastAt: number;
}

/** Recent successes that take more than this multiple of the usual time: the tool is slow. At 4, a recovering tool is pushed down again. */
const SLOW = 2;
const RECENT_SHARE = 0.2;
const USUAL_MS = 120_000;
/** A slow tool becomes usual this many times later. */
const USUAL_FACTOR_SLOW = 5;
/** The plain mean of the first successes, before it becomes a moving one. */
const FIRST_SAMPLES = 30;

export function createDurations(): Durations {
  return { recentMs: 0, usualMs: 0, samples: 0, lastAt: 0 };
}

export function learnDuration(durations: Durations, durationMs: number, now: number): void {
  const slow = isSlow(durations);
  durations.samples += 1;
  const passedMs = (now - durations.lastAt) / (slow ? USUAL_FACTOR_SLOW : 1);
  const share = Math.max(1 - Math.exp(-passedMs / USUAL_MS), durations.samples <= FIRST_SAMPLES ? 1 / durations.samples : 0);
  durations.usualMs += (durationMs - durations.usualMs) * share;
  durations.recentMs += (durationMs - durations.recentMs) * (durations.samples === 1 ? 1 : RECENT_SHARE);
  durations.lastAt = now;
}

export function isSlow({ recentMs, usualMs }: Durations): boolean {
  return recentMs > SLOW * usualMs;
}

/** The tool is back after an outage: what was slow before it is over. */
export function forgetSlowness(durations: Durations): void {
  durations.recentMs = durations.usualMs;
}

/** Whether a failure that took so long is likely to have cost the tool real work. */
export function tookWork({ usualMs }: Durations, durationMs: number): boolean {
  return usualMs > 0 && durationMs >= usualMs / 2;
}
