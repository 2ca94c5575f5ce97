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

/** Work beyond the budget. Ends the check. */
export class BudgetExceeded extends Error {
  constructor() {
    super('it takes too many steps');
  }
}

export function spend(budget: Budget, steps: number): void {
  budget.left -= steps;
  if (budget.left < 0) throw new BudgetExceeded();
}

/** Steps for going through a string once. */
export const stepsFor = (text: string): number => 1 + (text.length >>> 4);
