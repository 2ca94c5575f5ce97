/**
 * How long a tool usually takes, and how many successes it takes to tell a slow time from chance.
 * Owns the window of successes and how the usual follows it; what a slow window leads to is the learned limit's.
 */

export interface UsualDuration {
  /** Of a success; 0 while there was none. */
  usualMs: number;
  /** Duration of the latest success, and how far two that follow each other usually lie apart: what chance alone does. */
  lastMs: number;
  apartMs: number;
  /** Of the present window of successes. */
  samples: number;
  totalMs: number;
  /** The same with outliers in full: by it is told whether cuts help. */
  wholeMs: number;
}

/** Slower than this times the usual is slow. */
export const SLOW = 1.5;
/** Fewer samples are mostly chance, and more are late. Between them: so many, for the spread of a tool's durations, that `SLOW` is four standard errors away. */
const FEWEST_SAMPLES = 20;
const MOST_SAMPLES = 100;
const SAMPLES_OF_EXPONENTIAL = 60;
const APART_FOLLOWS = 0.02;
/** A duration counts for at most so many times the usual, so that one outlier of a skewed tool does not make a slow window. */
const OUTLIER = 4;
/** How fast the usual follows a faster window, and a slower one. */
const USUAL_FALLS = 0.1;
const USUAL_RISES = 0.05;
/** While somebody waits it may be the overload that is learned; but who followed faster windows alone would learn the fastest, by which everything is slow. */
const USUAL_FALLS_LOADED = 0.05;
const USUAL_RISES_LOADED = 0.01;
const USUAL_RISES_SLOW = 0.002;

/** Answers whether the window is full. */
export function noteDuration(usual: UsualDuration, durationMs: number): boolean {
  const { usualMs } = usual;
  const withinMs = usualMs === 0 ? durationMs : Math.min(durationMs, OUTLIER * usualMs);
  usual.apartMs += (Math.abs(withinMs - usual.lastMs) - usual.apartMs) * APART_FOLLOWS;
  usual.lastMs = withinMs;
  usual.samples += 1;
  usual.totalMs += withinMs;
  usual.wholeMs += durationMs;
  return usual.samples >= FEWEST_SAMPLES && usual.samples >= neededSamples(usual);
}

/** Of exponential durations two lie a mean apart, and a window needs its samples by the square of that. */
function neededSamples({ usualMs, apartMs, totalMs, samples }: UsualDuration): number {
  const spread = apartMs / Math.max(usualMs === 0 ? totalMs / samples : usualMs, 1);
  return Math.min(SAMPLES_OF_EXPONENTIAL * spread * spread, MOST_SAMPLES);
}

/** Of a full window. */
export function learnUsual(usual: UsualDuration, meanMs: number, waiting: number): void {
  const { usualMs } = usual;
  if (usualMs === 0) usual.usualMs = meanMs;
  else usual.usualMs += (meanMs - usualMs) * usualFollows(meanMs, usualMs, waiting);
}

function usualFollows(meanMs: number, usualMs: number, waiting: number): number {
  if (waiting === 0) return meanMs < usualMs ? USUAL_FALLS : USUAL_RISES;
  if (meanMs < usualMs) return USUAL_FALLS_LOADED;
  return meanMs > SLOW * usualMs ? USUAL_RISES_SLOW : USUAL_RISES_LOADED;
}
