/**
 * fast-check for the mutation tests: thousands of cases find a rare fault of the sources, a hundred are enough to notice a planted one; and the first
 * failing case is enough, without shrinking. One seed for all mutants, so that two runs over the same sources give the same result.
 */
import fc, { type IProperty, type Parameters } from 'fast-check';

export * from 'fast-check';

const maxRuns = Number(process.env['MUTATION_CASES'] ?? 100);
fc.configureGlobal({ seed: Number(process.env['FC_SEED'] ?? 20_261_122), endOnFailure: true });

const assertFewer = (property: IProperty<unknown>, parameters: Parameters<unknown> = {}): void =>
  fc.assert(property, { ...parameters, numRuns: Math.min(parameters.numRuns ?? 100, maxRuns) });

/** Callers that await an asynchronous property get its promise through the same return value. */
export const assert: typeof fc.assert = assertFewer as typeof fc.assert;

export default { ...fc, assert };
