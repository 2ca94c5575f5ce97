/**
 * Checks of settings at construction: misuse is thrown with the field, the value and the mend.
 */

/** Stands for "for ever" (71,000 years): sums with it stay exact, and it survives JSON, which Infinity does not. */
export const longestMs: number = 2 ** 51;

export function requireCount(field: string, value: unknown, minimum = 1, maximum: number = Number.MAX_SAFE_INTEGER): void {
  const range = maximum === Number.MAX_SAFE_INTEGER ? `of at least ${minimum}` : `from ${minimum} to ${maximum}`;
  requireNumber(field, value, `a whole number ${range}`);
  if (!Number.isInteger(value) || value < minimum || value > maximum) {
    throw new RangeError(`${field} is ${value}: set it to a whole number ${range}`);
  }
}

/** Answers the duration to reckon with: Infinity becomes `longestMs`. */
export function requireDuration(field: string, value: unknown): number {
  requireNumber(field, value, 'milliseconds above 0');
  if (!(value > 0)) throw new RangeError(`${field} is ${value}: set it to milliseconds above 0`);
  return Math.min(value, longestMs);
}

/** Above 0 and up to 1. */
export function requireShare(field: string, value: unknown): void {
  requireNumber(field, value, 'a share above 0 and up to 1');
  if (!(value > 0 && value <= 1)) {
    throw new RangeError(`${field} is ${value}: set it to a share above 0 and up to 1, such as 0.5`);
  }
}

/** 0 or more. */
export function requireAmount(field: string, value: unknown): void {
  requireNumber(field, value, 'a number of 0 or more');
  if (!Number.isFinite(value) || value < 0) {
    throw new RangeError(`${field} is ${value}: set it to a number of 0 or more`);
  }
}

export function requireObject(field: string, value: unknown): asserts value is object {
  if (typeof value !== 'object' || value === null) {
    throw new TypeError(`${field} is ${describe(value)}: give an object or leave it out`);
  }
}

function requireNumber(field: string, value: unknown, mend: string): asserts value is number {
  if (typeof value !== 'number') throw new TypeError(`${field} is ${describe(value)}: set it to ${mend}`);
}

function describe(value: unknown): string {
  if (typeof value === 'string') return `the text "${value}"`;
  return value === null ? 'null' : typeof value;
}
