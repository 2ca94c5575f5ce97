/** Owns the shapes of refusals. Types only. */

/** What every request that could not be served is answered with (`application/problem+json`, RFC 9457). */
export interface ProblemBody {
  /** HTTP status of the response. */
  readonly status: number;
  /** Standard phrase of the status, such as `Not Found`. */
  readonly title: string;
  /** The message of `error`. */
  readonly detail: string;
  /** What is wrong and what to do about it. */
  readonly error: ErrorBody;
}

/** Why a request was refused. With several problems, the fields are those of the first one. */
export interface ErrorBody extends FieldProblem {
  /** When coming back may help. */
  readonly retry_after_ms?: number;
  /** Everything that is wrong, where it is more than one thing; the first of them is the error itself. */
  readonly problems?: readonly FieldProblem[];
}

/** One thing that is wrong with a request. */
export interface FieldProblem {
  /** Stable and upper case. */
  readonly code: string;
  /** What is wrong, in one sentence. */
  readonly message: string;
  /** Where, such as `calls[0].args` or a parameter's name. */
  readonly field?: string;
  /** What would be right. */
  readonly allowed?: string;
  /** What was probably meant. */
  readonly suggestion?: string;
  /** What to do. */
  readonly hint?: string;
  /** Of a body that is read as a file; from 1. */
  readonly line?: number;
  /** Column in that line, from 1. */
  readonly column?: number;
}
