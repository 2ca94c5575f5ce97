/** Owns the text of validation issues, of Standard Schema or of JSON Schema, as a model reads it. */

/** A validation issue, of Standard Schema or of JSON Schema. */
export interface DescribedIssue {
  /** Where in the value: keys, or objects with a `key`. Absent or empty: the whole value. */
  readonly path?: readonly unknown[] | undefined;
  /** What is wrong with the value. */
  readonly message?: unknown;
}

/** `city: is required; days.0: must be a number, got "x"`. */
export const describeIssues = (issues: readonly DescribedIssue[]): string =>
  issues.map(({ path = [], message }) => `${path.map(describeStep).join('.') || 'arguments'}: ${String(message)}`).join('; ');

/** Standard Schema allows keys and `{ key }` objects. */
const describeStep = (step: unknown): string => String(typeof step === 'object' && step !== null && 'key' in step ? step.key : step);
