/** Owns the shapes of refusals. Types only. */

/** What every request that could not be served is answered with (`application/problem+json`, RFC 9457). */
export interface ProblemBody {
  readonly status: number;
  readonly title: string;
  readonly detail: string;
  readonly error: ErrorBody;
}

export interface ErrorBody extends FieldProblem {
  /** When coming back may help. */
  readonly retry_after_ms?: number;
  /** Everything that is wrong, where it is more than one thing; the first of them is the error itself. */
  readonly problems?: readonly FieldProblem[];
}

export interface FieldProblem {
  /** Stable and upper case. */
  readonly code: string;
  readonly message: string;
  /** Where, such as `calls[0].arguments` or a parameter's name. */
  readonly field?: string;
  /** What would be right. */
  readonly allowed?: string;
  /** What was probably meant. */
  readonly suggestion?: string;
  /** What to do. */
  readonly hint?: string;
  /** Of a body that is read as a file; from 1. */
  readonly line?: number;
  readonly column?: number;
}
