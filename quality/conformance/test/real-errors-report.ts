/** What a run over the error corpus tells: written by `real-errors-run.ts`, judged by `real-errors.test.ts`. */

export const fields = ['classification', 'category', 'retryAfterMs', 'ambiguous'] as const;
export type Field = (typeof fields)[number];

/** Right, wrong, or not scored. */
export type Marks = Readonly<Record<Field, boolean | null>>;

export interface Outcome {
  readonly id: string;
  /** By crossing; `live` is the error as it came. */
  readonly marks: Readonly<Record<string, Marks>>;
  readonly got: unknown;
}

export interface Report {
  readonly outcomes: readonly Outcome[];
  readonly skipped: readonly string[];
  readonly failed: readonly string[];
  readonly threw: readonly string[];
  /** Private network, mounts and processes were to be had. */
  readonly namespaces: boolean;
}
