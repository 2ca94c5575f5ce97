import fc from 'fast-check';

/**
 * The first cases of a property, the same in every run (`examples`): what is expected of all its cases together ("each state was reached") is met by these, so that
 * it never depends on what the others happen to be.
 */
export function sameDraws<Drawn extends [unknown, ...unknown[]]>(
  count: number,
  ...arbitraries: { readonly [Index in keyof Drawn]: fc.Arbitrary<Drawn[Index]> }
): Drawn[] {
  return fc.sample(fc.tuple<Drawn>(...(arbitraries as { [Index in keyof Drawn]: fc.Arbitrary<Drawn[Index]> })), {
    seed: 1,
    numRuns: count,
  });
}
