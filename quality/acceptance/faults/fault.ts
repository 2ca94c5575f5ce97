/** A small edit of a source that breaks a condition: its acceptance tests have to fail. */
export interface Fault {
  /** What is wrong, in a few words. */
  readonly what: string;
  /** From the root of the repository. */
  readonly file: string;
  /** Occurs once in the file. */
  readonly before: string;
  readonly after: string;
  /** Ids from `conditions.json`; each of them has to fail. */
  readonly conditions: readonly string[];
}

/** `[what, file in the folder, before, after, conditions separated by spaces]` */
export type FaultRow = readonly [what: string, file: string, before: string, after: string, conditions: string];

export const faultsIn = (folder: string, rows: readonly FaultRow[]): readonly Fault[] =>
  rows.map(([what, file, before, after, conditions]) => ({
    what,
    file: `${folder}/${file}`,
    before,
    after,
    conditions: conditions.split(' '),
  }));
