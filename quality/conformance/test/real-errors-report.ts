/** The result of a run over the error corpus: written by `real-errors-run.ts`, checked by `real-errors.test.ts`. */

export const fields = ['classification', 'category', 'retryAfterMs', 'ambiguous'] as const;
export type Field = (typeof fields)[number];

/** Right, wrong, or not scored. */
export type Marks = Readonly<Record<Field, boolean | null>>;

export interface Outcome {
  readonly id: string;
  /** By crossing; `live` is the original error. */
  readonly marks: Readonly<Record<string, Marks>>;
  readonly got: unknown;
}

export interface Report {
  readonly outcomes: readonly Outcome[];
  readonly skipped: readonly string[];
  readonly failed: readonly string[];
  readonly threw: readonly string[];
  /** Whether private network, mounts and processes were available. */
  readonly namespaces: boolean;
}
