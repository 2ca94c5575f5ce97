/**
 * fast-check as the mutation tests use it: thousands of cases find a rare fault of the sources, a hundred tell
 * whether a fault that was put in is noticed; and the first case that fails is enough, the smallest is not looked for.
 * One seed for all mutants, so that two runs over the same sources say the same.
 */
import fc, { type IProperty, type Parameters } from 'fast-check';

export * from 'fast-check';

const most = Number(process.env['MUTATION_CASES'] ?? 100);
fc.configureGlobal({ seed: Number(process.env['FC_SEED'] ?? 20_261_122), endOnFailure: true });

const assertFewer = (property: IProperty<unknown>, parameters: Parameters<unknown> = {}): void =>
  fc.assert(property, { ...parameters, numRuns: Math.min(parameters.numRuns ?? 100, most) });

/** Anyone who awaits an asynchronous property gets its promise through the same return value. */
export const assert: typeof fc.assert = assertFewer as typeof fc.assert;

export default { ...fc, assert };
