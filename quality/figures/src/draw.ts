/** Owns random choices by seed. */
export interface Draw {
  readonly below: (limit: number) => number;
  readonly of: <T>(values: readonly [T, ...T[]] | readonly T[]) => T;
}

/** A small generator with a period that is long enough for a scene (mulberry32). */
export function createDraw(seed: number): Draw {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d_2b_79_f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return { below, of: (values) => values[below(values.length)] as never };
}
