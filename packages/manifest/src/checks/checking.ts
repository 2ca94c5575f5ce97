/** Owns the input of every check of a manifest. */
import type { PathStep, Problem } from '../problem.ts';
import type { Reading } from '../source/reader.ts';
import type { SourceFile } from '../source/source-file.ts';

/** A tool of the file and its position. */
export interface ToolPlace {
  readonly tool: Readonly<Record<string, unknown>>;
  readonly path: readonly PathStep[];
}

export interface Checking {
  readonly source: SourceFile;
  readonly reading: Reading;
  readonly schemas: Problem['severity'];
}
