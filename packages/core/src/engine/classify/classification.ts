/**
 * Owns the types of a classification and of a manifest's rules. Does not own how a classification is made (`classify.ts`).
 *
 * 1. Every classification names the rule that made it.
 * 2. An error without evidence is transient, category `unknown` (docs/specification.md#s0-1-3).
 */

/** What a failure means: the dependency failed, the request was wrong, or neither (the caller stopped). */
export type ErrorClass = 'transient' | 'permanent' | 'neutral';

/** The kind of failure. */
export type ErrorCategory =
  | 'network'
  | 'timeout'
  | 'rate_limit'
  | 'unavailable'
  | 'auth'
  | 'permission'
  | 'not_found'
  | 'invalid_input'
  | 'conflict'
  | 'unsupported'
  | 'payload_too_large'
  | 'quota_exhausted'
  | 'cancelled'
  | 'contract'
  | 'bug'
  | 'resource'
  | 'unknown';

/** All categories. */
export const errorCategories: readonly ErrorCategory[] = [
  'network',
  'timeout',
  'rate_limit',
  'unavailable',
  'auth',
  'permission',
  'not_found',
  'invalid_input',
  'conflict',
  'unsupported',
  'payload_too_large',
  'quota_exhausted',
  'cancelled',
  'contract',
  'bug',
  'resource',
  'unknown',
];

/** What an error means for the decision that follows (docs/specification.md#s0-1-3, #s1-1). */
export interface Classification {
  /** `transient`: the dependency failed; `permanent`: the request was wrong; `neutral`: neither. */
  readonly classification: ErrorClass;
  /** Kind of failure, such as `timeout` or `rate_limit`. */
  readonly category: ErrorCategory;
  /** The rule that made it, such as `override:status=503`, `status:429`, `code:ECONNRESET`, `grpc:14`, `text:status 503`, `unknown`; `words:…` where only free words show a transient failure. */
  readonly rule: string;
  /** The side effect may have happened: no definite answer came after the request may have been sent. */
  readonly ambiguous: boolean;
  /** The wait that the server asked for, in ms, rounded up. Only for transient errors. */
  readonly retryAfterMs?: number;
  /** The HTTP status, if one was found. */
  readonly status?: number;
  /** The code of the library, service or system, if one was found. */
  readonly code?: string;
}

/**
 * A manifest's rule about the errors of its tool (docs/specification.md#s0-1-3 step 2, #s1-1-5). Every condition given must hold; at least one must
 * be given. The first rule that matches decides.
 */
export interface ClassificationRule {
  /** HTTP status, also one found only in the message: `Service unavailable (503)`. */
  readonly status?: number | readonly number[];
  /** Code of the library, service or system, compared exactly (numbers by their digits). */
  readonly code?: string;
  /** Name of the error, or of its class. */
  readonly name?: string;
  /** Source of a regular expression, case-insensitive, searched in the first part of each message. */
  readonly message?: string;
  /** @default the category found without the rule */
  readonly category?: ErrorCategory;
  /** Class of a matching failure: `transient` may be retried, `permanent` never is. */
  readonly as: 'transient' | 'permanent';
}
