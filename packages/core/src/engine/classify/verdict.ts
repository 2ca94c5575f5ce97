/**
 * Owns the verdicts that the tables refer to, the weights of evidence, and the format that all tables share. Does not own any
 * code, status or phrase.
 *
 * Invariant: a verdict is `ambiguous` unless it is evidence that the request was not carried out: it was not sent, or it was rejected.
 */
import type { ErrorCategory, ErrorClass } from './classification.ts';

/** What a single piece of evidence means. */
export interface Verdict {
  readonly classification: ErrorClass;
  readonly category: ErrorCategory;
  readonly ambiguous: boolean;
}

const transient = (category: ErrorCategory, ambiguous = false): Verdict => ({ classification: 'transient', category, ambiguous });
const permanent = (category: ErrorCategory, ambiguous = false): Verdict => ({ classification: 'permanent', category, ambiguous });

export const refused: Verdict = /* @__PURE__ */ transient('network');
export const cut: Verdict = /* @__PURE__ */ transient('network', true);
export const lostSession: Verdict = /* @__PURE__ */ transient('network', true);
export const connectTimeout: Verdict = /* @__PURE__ */ transient('timeout');
export const timeout: Verdict = /* @__PURE__ */ transient('timeout', true);
export const rateLimit: Verdict = /* @__PURE__ */ transient('rate_limit');
export const unavailable: Verdict = /* @__PURE__ */ transient('unavailable');
export const brokenServer: Verdict = /* @__PURE__ */ transient('unavailable', true);
export const contention: Verdict = /* @__PURE__ */ transient('conflict');
export const exhausted: Verdict = /* @__PURE__ */ transient('resource');
/** A thread or program ran out of memory while it was working. */
export const outOfMemory: Verdict = /* @__PURE__ */ transient('resource', true);
export const unknown: Verdict = /* @__PURE__ */ transient('unknown', true);

export const auth: Verdict = /* @__PURE__ */ permanent('auth');
export const permission: Verdict = /* @__PURE__ */ permanent('permission');
export const notFound: Verdict = /* @__PURE__ */ permanent('not_found');
export const invalidInput: Verdict = /* @__PURE__ */ permanent('invalid_input');
/** A validator says so: whether of a request or a response, only the error around it tells. */
export const invalidValue: Verdict = /* @__PURE__ */ permanent('invalid_input', true);
export const conflict: Verdict = /* @__PURE__ */ permanent('conflict');
export const unsupported: Verdict = /* @__PURE__ */ permanent('unsupported');
export const tooLarge: Verdict = /* @__PURE__ */ permanent('payload_too_large');
/** The answer was too large, so there was one. */
export const answerTooLarge: Verdict = /* @__PURE__ */ permanent('payload_too_large', true);
/** The quota that was paid for is used up. */
export const quota: Verdict = /* @__PURE__ */ permanent('quota_exhausted');
/** The same, in a wording that per-minute limits use too. */
export const quotaReached: Verdict = /* @__PURE__ */ permanent('quota_exhausted');
/** The service answered, but with something else than promised: it may have done its work. */
export const contract: Verdict = /* @__PURE__ */ permanent('contract', true);
export const untrusted: Verdict = /* @__PURE__ */ permanent('network');
export const full: Verdict = /* @__PURE__ */ permanent('resource');
/** A disk became full while it was written to. */
export const diskFull: Verdict = /* @__PURE__ */ permanent('resource', true);
/** A programming error somewhere in the tool, perhaps after the request. */
export const bug: Verdict = /* @__PURE__ */ permanent('bug', true);
/** An interface was used in a wrong way, and refused the call. */
export const misuse: Verdict = /* @__PURE__ */ permanent('bug');
/** Redirects are answers: the request may have been carried out. */
export const redirectRefused: Verdict = /* @__PURE__ */ permanent('permission', true);
export const refusedForGood: Verdict = /* @__PURE__ */ permanent('unknown', true);

export const cancelled: Verdict = { classification: 'neutral', category: 'cancelled', ambiguous: true };

/** The weight of a piece of evidence against others in the same error, the heaviest first. */
export type Weight = number;
/** The service's own error code. */
export const answer: Weight = 0;
/** Its HTTP status. */
export const status: Weight = 1;
/** What the operating system or runtime reported. */
export const system: Weight = 2;
/** One of the three above, quoted in a message. */
export const textCode: Weight = 3;
/** A status that the client may have made up itself. */
export const rpc: Weight = 4;
/** The name of the class. */
export const name: Weight = 5;
/** A vague word. */
export const general: Weight = 6;
/** The client's assessment whether to retry. */
export const flag: Weight = 7;
/** The message. */
export const text: Weight = 8;
/** Used when the message shows nothing. */
export const fallback: Weight = 9;

/** A table's entry for a code. */
export interface Entry {
  readonly verdict: Verdict;
  readonly weight: Weight;
  /** Only the words in it say so: anyone may have chosen them, such as `NO_SLOTS_AVAILABLE` for a business rule. */
  readonly byWords?: boolean;
}

/** The format of all tables: a verdict, the codes that mean it, and their weight where it differs from the table's usual one. */
export type Rows = readonly (readonly [verdict: Verdict, codes: string, weight?: Weight])[];
