/** Owns the types of refusals. Types only. */

/** The answer to every request that could not be served (`application/problem+json`, RFC 9457). */
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
  /** Milliseconds after which a retry may succeed. */
  readonly retry_after_ms?: number;
  /** All problems, if there are several; the first of them is the error itself. */
  readonly problems?: readonly FieldProblem[];
}

/** One thing that is wrong with a request. */
export interface FieldProblem {
  /** Stable and upper case. */
  readonly code: string;
  /** What is wrong, in one sentence. */
  readonly message: string;
  /** The field, such as `calls[0].arguments`, or the name of a parameter. */
  readonly field?: string;
  /** What is allowed. */
  readonly allowed?: string;
  /** A similar known name. */
  readonly suggestion?: string;
  /** How to fix it. */
  readonly hint?: string;
  /** Line in the body, from 1. */
  readonly line?: number;
  /** Column in that line, from 1. */
  readonly column?: number;
}
