/** What a case answers: tables, targets with what came out, and notes. Plain, so that it can go to another process and into a file. */
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
  /** What is asked for, e.g. "≤ 1.5 × opossum 10". */
  readonly wanted: string;
  /** What came out, e.g. "1.31 ×". */
  readonly seen: string;
  readonly met: boolean;
  /** The ratio, for one that is a ratio. */
  readonly ratio?: number;
}
