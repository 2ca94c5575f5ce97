/** The result of a case: tables, targets with their results, and notes. Plain data, so that it can be sent to another process and written to a file. */
export interface Report {
  readonly name: string;
  readonly title: string;
  /** What was done, in a sentence or two. */
  readonly what: string;
  readonly tables: readonly Table[];
  readonly targets: readonly Target[];
  readonly notes: readonly string[];
  /** The figures behind the tables. */
  readonly figures: Readonly<Record<string, unknown>>;
}

export interface Table {
  readonly title?: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

export interface Target {
  /** The target, e.g. "≤ 1.5 × opossum 10". */
  readonly wanted: string;
  /** The result, e.g. "1.31 ×". */
  readonly seen: string;
  readonly met: boolean;
  /** The ratio, if the target is one. */
  readonly ratio?: number;
}
