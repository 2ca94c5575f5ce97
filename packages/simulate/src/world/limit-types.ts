/** Owns the types of limits on requests, and of what refusals say. */

/** A limit on requests. */
export interface RateLimit {
  /** Requests that are accepted within one window. */
  readonly limit: number;
  /** Length of a window in milliseconds. */
  readonly windowMs: number;
  /** What refusals say. @default the whole seconds until the next window */
  readonly retryAfterS?: RetryAfter;
}

/** A limit on requests that lets short bursts pass. Full at the start. */
export interface TokenBucket {
  /** Tokens that are added per second. */
  readonly ratePerSecond: number;
  /** Tokens that the bucket holds at most. */
  readonly burst: number;
  /** What refusals say. @default the whole seconds until the next token, at least 1 */
  readonly retryAfterS?: RetryAfter;
}

/** The seconds that a `Retry-After` header says, whether they are right or not; `'none'`: no header. */
export type RetryAfter = number | 'none';
