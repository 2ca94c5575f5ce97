/** Owns one validation issue: what is wrong with a value at one place, for every kind of schema. */

/** What is wrong at one place. */
export interface ValidationIssue {
  /** From the root; empty for the value as a whole. */
  readonly path: readonly (string | number)[];
  /** What is wrong, such as `expected number, got string`. */
  readonly message: string;
  /** The place is empty although something is required there. */
  readonly missing?: boolean;
  /** What would have been allowed. */
  readonly allowed?: readonly unknown[];
}
