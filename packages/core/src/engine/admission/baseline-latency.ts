/**
 * Owns a tool's baseline latency: the window of successes, how the baseline follows it, and how many successes distinguish a slow period from chance.
 * Does not own the reaction to a slow window (`adaptive-limit.ts`).
 */

export interface BaselineLatency {
  /** Usual duration of a success; 0 before the first. */
  baselineMs: number;
  /** Duration of the latest success, and the mean difference between two consecutive ones: the variation by chance. */
  lastMs: number;
  apartMs: number;
  /** Counts of the current window of successes. */
  samples: number;
  totalMs: number;
  /** The total without the outlier limit: shows whether cuts help. */
  wholeMs: number;
}

/** A duration above this multiple of the baseline is slow. */
export const SLOW = 1.5;
/**
 * Bounds of the window. Below, results are mostly chance; above, they come late. Between them: as many samples as put `SLOW` four standard errors from the
 * baseline, given the spread of the tool's durations.
 */
const MIN_SAMPLES = 20;
const MAX_SAMPLES = 100;
const EXPONENTIAL_SAMPLES = 60;
const DIFFERENCE_SMOOTHING = 0.02;
/** A duration counts for at most this multiple of the baseline, so that one outlier of a skewed tool does not make a slow window. */
const OUTLIER = 4;
/** How fast the baseline follows a faster window, and a slower one. */
const BASELINE_FALL = 0.1;
const BASELINE_RISE = 0.05;
/** The same while calls wait: an overload must not be learned, but a baseline that only falls would make everything look slow. */
const BASELINE_FALL_LOADED = 0.05;
const BASELINE_RISE_LOADED = 0.01;
const BASELINE_RISE_SLOW = 0.002;

/** Returns whether the window is full. */
export function addDuration(baseline: BaselineLatency, durationMs: number): boolean {
  const { baselineMs } = baseline;
  const withinMs = baselineMs === 0 ? durationMs : Math.min(durationMs, OUTLIER * baselineMs);
  baseline.apartMs += (Math.abs(withinMs - baseline.lastMs) - baseline.apartMs) * DIFFERENCE_SMOOTHING;
  baseline.lastMs = withinMs;
  baseline.samples += 1;
  baseline.totalMs += withinMs;
  baseline.wholeMs += durationMs;
  return baseline.samples >= MIN_SAMPLES && baseline.samples >= neededSamples(baseline);
}

/** For exponential durations the mean difference of two is the mean itself; the samples needed grow with the square of the spread. */
function neededSamples({ baselineMs, apartMs, totalMs, samples }: BaselineLatency): number {
  const spread = apartMs / Math.max(baselineMs === 0 ? totalMs / samples : baselineMs, 1);
  return Math.min(EXPONENTIAL_SAMPLES * spread * spread, MAX_SAMPLES);
}

/** Moves the baseline towards the mean of a full window. */
export function updateBaseline(baseline: BaselineLatency, meanMs: number, waiting: number): void {
  const { baselineMs } = baseline;
  if (baselineMs === 0) baseline.baselineMs = meanMs;
  else baseline.baselineMs += (meanMs - baselineMs) * smoothingOf(meanMs, baselineMs, waiting);
}

function smoothingOf(meanMs: number, baselineMs: number, waiting: number): number {
  if (waiting === 0) return meanMs < baselineMs ? BASELINE_FALL : BASELINE_RISE;
  if (meanMs < baselineMs) return BASELINE_FALL_LOADED;
  return meanMs > SLOW * baselineMs ? BASELINE_RISE_SLOW : BASELINE_RISE_LOADED;
}
