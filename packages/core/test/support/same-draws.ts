import fc from 'fast-check';

/**
 * The first cases of a property, the same in every run (`examples`): expectations about all cases together ("each state was reached") are met by these
 * and do not depend on the random ones.
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
