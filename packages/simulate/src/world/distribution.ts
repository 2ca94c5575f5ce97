/** Owns durations as data, and drawing them. A draw is a number in [0, 1); the same number gives the same duration. */
import { exp, log } from './portable-math.ts';

/** How long something takes, in milliseconds, as a random distribution. */
export type Distribution =
  | { readonly kind: 'constant'; readonly ms: number }
  | { readonly kind: 'uniform'; readonly minMs: number; readonly maxMs: number }
  | { readonly kind: 'exponential'; readonly meanMs: number }
  /** Skewed to the right, like the answers of services. `p99Ms`: at most 14 times the mean. */
  | { readonly kind: 'lognormal'; readonly meanMs: number; readonly p99Ms: number }
  /** Measured values, each with the same probability, ascending. */
  | { readonly kind: 'measured'; readonly valuesMs: readonly number[] };

/** Creates the function that converts a draw to a duration. */
export function sampler(distribution: Distribution): (draw: number) => number {
  switch (distribution.kind) {
    case 'constant':
      return () => distribution.ms;
    case 'uniform': {
      const { minMs, maxMs } = distribution;
      return (draw) => minMs + draw * (maxMs - minMs);
    }
    case 'exponential':
      return (draw) => -log(1 - draw) * distribution.meanMs;
    case 'lognormal':
      return lognormal(distribution.meanMs, distribution.p99Ms);
    case 'measured': {
      const { valuesMs } = distribution;
      return (draw) => valuesMs[Math.floor(draw * valuesMs.length)] ?? 0;
    }
  }
}

/** The standard normal value below which 99 % lie. */
const z99 = 2.326_347_874_040_841;

/** mean = e^(mu + sigma²/2) and p99 = e^(mu + z sigma), so sigma² / 2 - z sigma + ln(p99 / mean) = 0; the smaller root. */
function lognormal(meanMs: number, p99Ms: number): (draw: number) => number {
  const sigma = z99 - Math.sqrt(Math.max(0, z99 * z99 - 2 * log(p99Ms / meanMs)));
  const mu = log(meanMs) - (sigma * sigma) / 2;
  return (draw) => exp(mu + sigma * normal(draw));
}

/** The standard normal quantile of a draw (Acklam's rational approximation, relative error below 1.2e-9). */
function normal(draw: number): number {
  const share = Math.min(Math.max(draw, 1e-16), 1 - 1e-16);
  if (share < 0.02425) return tail(Math.sqrt(-2 * log(share)));
  if (share > 1 - 0.02425) return -tail(Math.sqrt(-2 * log(1 - share)));
  const offset = share - 0.5;
  const square = offset * offset;
  const above =
    (((((-39.69683028665376 * square + 220.9460984245205) * square - 275.9285104469687) * square + 138.357751867269) * square -
      30.66479806614716) *
      square +
      2.506628277459239) *
    offset;
  const below =
    ((((-54.47609879822406 * square + 161.5858368580409) * square - 155.6989798598866) * square + 66.80131188771972) * square -
      13.28068155288572) *
      square +
    1;
  return above / below;
}

function tail(root: number): number {
  const above =
    ((((-0.007784894002430293 * root - 0.3223964580411365) * root - 2.400758277161838) * root - 2.549732539343734) * root +
      4.374664141464968) *
      root +
    2.938163982698783;
  const below = (((0.007784695709041462 * root + 0.3224671290700398) * root + 2.445134137142996) * root + 3.754408661907416) * root + 1;
  return above / below;
}

export function meanOf(distribution: Distribution): number {
  switch (distribution.kind) {
    case 'constant':
      return distribution.ms;
    case 'uniform':
      return (distribution.minMs + distribution.maxMs) / 2;
    case 'exponential':
    case 'lognormal':
      return distribution.meanMs;
    case 'measured':
      return distribution.valuesMs.reduce((sum, value) => sum + value, 0) / Math.max(1, distribution.valuesMs.length);
  }
}
