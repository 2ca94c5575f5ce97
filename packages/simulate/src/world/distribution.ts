/** Owns how long things take, as data, and the drawing of it. A draw is a number in [0, 1); the same number gives the same duration. */

export type Distribution =
  | { readonly kind: 'constant'; readonly ms: number }
  | { readonly kind: 'uniform'; readonly minMs: number; readonly maxMs: number }
  | { readonly kind: 'exponential'; readonly meanMs: number }
  /** Skewed to the right, as answers of services are. `p99Ms`: at most 14 times the mean. */
  | { readonly kind: 'lognormal'; readonly meanMs: number; readonly p99Ms: number }
  /** As measured: values that stand for equal shares, ascending. */
  | { readonly kind: 'measured'; readonly valuesMs: readonly number[] };
