/** Owns the type of a problem: what is wrong in a file, where, and what is allowed. */

/** What is wrong. The codes are stable, so programs can decide by them. */
export type ProblemCode =
  | 'alias_bomb'
  | 'bad_alias'
  | 'bad_environment'
  | 'bad_identifier'
  | 'bad_openapi'
  | 'bad_policy'
  | 'bad_reference'
  | 'bad_regex'
  | 'bad_schema'
  | 'bad_url'
  | 'cycle'
  | 'duplicate_id'
  | 'duplicate_key'
  | 'empty'
  | 'encoding'
  | 'lossy_number'
  | 'missing_environment'
  | 'missing_file'
  | 'missing_key'
  | 'multiple_documents'
  | 'not_a_dependency'
  | 'not_allowed'
  | 'out_of_range'
  | 'run_kind'
  | 'syntax'
  | 'too_deep'
  | 'too_large'
  | 'unknown_call'
  | 'unknown_key'
  | 'unknown_server'
  | 'unknown_tag'
  | 'unknown_tool'
  | 'unreadable'
  | 'wrong_type';

/** One thing that is wrong in a manifest or a turn file. */
export interface Problem {
  /** A file with a `warning` can be used. */
  readonly severity: 'error' | 'warning';
  /** Kind of the problem. */
  readonly code: ProblemCode;
  /** The path that was given to the loader. */
  readonly file: string;
  /** From 1. */
  readonly line: number;
  /** From 1, in UTF-16 code units. */
  readonly column: number;
  /** Length of the marked text in the line. At least 1. */
  readonly length: number;
  /** Path in the data, such as `tools[0].retry_policy.max_attempts`. Empty for the file. */
  readonly path: string;
  /** The problem and the value. One sentence, no full stop. */
  readonly message: string;
  /** What is allowed. */
  readonly allowed?: string;
  /** A suggestion. */
  readonly suggestion?: string;
}

/** Sorts problems by position. */
export function inOrder(problems: readonly Problem[]): readonly Problem[] {
  return problems.toSorted((first, second) => first.line - second.line || first.column - second.column);
}

/** One step of a path into data: a key of an object or an index of a list. */
export type PathStep = string | number;

/** `tools[0].retry_policy.max_attempts` */
export function pathText(path: readonly PathStep[]): string {
  return path
    .map((step, index) => {
      if (typeof step === 'number') return `[${step}]`;
      const name = /^[\w$-]+$/.test(step) ? step : JSON.stringify(step);
      return index === 0 ? name : `.${name}`;
    })
    .join('');
}
