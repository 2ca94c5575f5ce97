/** Owns the random choices of a generated world: a sequence that depends on its seed alone. */

export interface Draw {
  /** In [0, 1). */
  readonly next: () => number;
  readonly chance: (share: number) => boolean;
  readonly uniform: (low: number, high: number) => number;
  /** Evenly over orders of magnitude. */
  readonly logUniform: (low: number, high: number) => number;
  readonly pick: <Value>(values: readonly [Value, ...Value[]]) => Value;
  /** A value by its weight. */
  readonly weighted: <Value>(...values: readonly [weight: number, value: Value][]) => Value;
}

export function createDraw(seed: string): Draw {
  let state = hash(seed);
  const next = (): number => {
    // mulberry32
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const uniform = (low: number, high: number): number => low + next() * (high - low);
  return {
    next,
    chance: (share) => next() < share,
    uniform,
    logUniform: (low, high) => low * (high / low) ** next(),
    pick: (values) => values[Math.floor(next() * values.length)] ?? values[0],
    weighted(...values) {
      let left = next() * values.reduce((sum, [weight]) => sum + weight, 0);
      const found = values.find(([weight]) => (left -= weight) < 0) ?? values.at(-1);
      if (!found) throw new RangeError('weighted: there are no values. Give at least one.');
      return found[1];
    },
  };
}

/** FNV-1a, then mixed, so that similar seeds have nothing in common. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return (value ^ (value >>> 16)) | 0;
}
