/** Owns one validation issue: what is wrong at one place in a value, for every kind of schema. */

/** What is wrong at one place in a value. */
export interface ValidationIssue {
  /** Path from the root; empty for the value as a whole. */
  readonly path: readonly (string | number)[];
  /** What is wrong, such as `expected number, got string`. */
  readonly message: string;
  /** A required value is missing here. */
  readonly missing?: boolean;
  /** The allowed values, if there is a list. */
  readonly allowed?: readonly unknown[];
}
