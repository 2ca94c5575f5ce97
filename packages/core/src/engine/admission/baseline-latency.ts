/**
 * Owns a tool's baseline latency: the window of successes, how the baseline follows it, and how many successes separate a slow period from chance.
 * Does not own the reaction to a slow window (`adaptive-limit.ts`).
 */

export interface BaselineLatency {
  /** Of a success; 0 while there was none. */
  baselineMs: number;
  /** Duration of the latest success, and how far two that follow each other usually lie apart: what chance alone does. */
  lastMs: number;
  apartMs: number;
  /** Of the present window of successes. */
  samples: number;
  totalMs: number;
  /** The same with outliers in full: shows whether cuts help. */
  wholeMs: number;
}

/** Slower than this times the baseline is slow. */
export const SLOW = 1.5;
/** Fewer samples are mostly chance, and more are late. Between them: as many as put `SLOW` four standard errors away, given the spread of the tool's durations. */
const FEWEST_SAMPLES = 20;
const MOST_SAMPLES = 100;
const SAMPLES_OF_EXPONENTIAL = 60;
const APART_FOLLOWS = 0.02;
/** A duration counts for at most this many times the baseline, so that one outlier of a skewed tool does not make a slow window. */
const OUTLIER = 4;
/** How fast the baseline follows a faster window, and a slower one. */
const USUAL_FALLS = 0.1;
const USUAL_RISES = 0.05;
/** While calls wait, an overload must not be learned; but a baseline that follows only faster windows would make everything look slow. */
const USUAL_FALLS_LOADED = 0.05;
const USUAL_RISES_LOADED = 0.01;
const USUAL_RISES_SLOW = 0.002;

/** Answers whether the window is full. */
export function addDuration(usual: BaselineLatency, durationMs: number): boolean {
  const { baselineMs } = usual;
  const withinMs = baselineMs === 0 ? durationMs : Math.min(durationMs, OUTLIER * baselineMs);
  usual.apartMs += (Math.abs(withinMs - usual.lastMs) - usual.apartMs) * APART_FOLLOWS;
  usual.lastMs = withinMs;
  usual.samples += 1;
  usual.totalMs += withinMs;
  usual.wholeMs += durationMs;
  return usual.samples >= FEWEST_SAMPLES && usual.samples >= neededSamples(usual);
}

/** Of exponential durations two lie a mean apart, and a window needs its samples by the square of that. */
function neededSamples({ baselineMs, apartMs, totalMs, samples }: BaselineLatency): number {
  const spread = apartMs / Math.max(baselineMs === 0 ? totalMs / samples : baselineMs, 1);
  return Math.min(SAMPLES_OF_EXPONENTIAL * spread * spread, MOST_SAMPLES);
}

/** Of a full window. */
export function updateBaseline(usual: BaselineLatency, meanMs: number, waiting: number): void {
  const { baselineMs } = usual;
  if (baselineMs === 0) usual.baselineMs = meanMs;
  else usual.baselineMs += (meanMs - baselineMs) * usualFollows(meanMs, baselineMs, waiting);
}

function usualFollows(meanMs: number, usualMs: number, waiting: number): number {
  if (waiting === 0) return meanMs < usualMs ? USUAL_FALLS : USUAL_RISES;
  if (meanMs < usualMs) return USUAL_FALLS_LOADED;
  return meanMs > SLOW * usualMs ? USUAL_RISES_SLOW : USUAL_RISES_LOADED;
}
