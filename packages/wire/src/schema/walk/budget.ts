/**
 * Owns how much work one check may take. Schemas and values come from others: without a limit, one of them could occupy the process.
 *
 * Invariant: work is counted in steps, not in time, so that the same value has the same outcome on every machine.
 */

/** What is left for a check. A step is a comparison, a visit of a value, or a few characters of a string. */
export interface Budget {
  left: number;
}

/** About ten milliseconds. */
export const maxSteps = 150_000;

const exceeded = 'BUDGET_EXCEEDED';

/** Whether a check has ended because of its budget, or because the stack is full. */
export function isExhausted(error: unknown): boolean {
  const { code, name } = (error ?? {}) as { readonly code?: unknown; readonly name?: unknown };
  return code === exceeded || name === 'RangeError';
}

/** @throws an error that `isExhausted` recognises */
export function spend(budget: Budget, steps: number): void {
  budget.left -= steps;
  if (budget.left < 0) throw Object.assign(new Error('it takes too many steps'), { code: exceeded });
}

/** Steps for going through a string once. */
export const stepsFor = (text: string): number => 1 + (text.length >>> 4);
