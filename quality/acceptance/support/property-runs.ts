/** The same cases in every run of the ledger; `FC_SEED=<seed>` draws others. */
export const propertyRuns = (numRuns: number): { readonly numRuns: number; readonly seed: number; readonly endOnFailure: boolean } => ({
  numRuns,
  seed: Number(process.env['FC_SEED'] ?? 19),
  endOnFailure: process.env['FC_SHRINK'] === undefined,
});
