/**
 * Owns the verdicts that tables point at, and the small form all tables have. Does not own any code, status or phrase.
 */
import type { ErrorCategory, ErrorClass } from './classification.ts';

/** What a single piece of evidence means. */
export interface Verdict {
  readonly classification: ErrorClass;
  readonly category: ErrorCategory;
  readonly ambiguous: boolean;
}

/**
 * How much a piece of evidence weighs against others in the same error:
 * `answer` the service's own word, `status` its HTTP status, `system` what the operating system or runtime saw,
 * `rpc` a status a client may have made up itself, `name` what the class is called, `general` a word that says little,
 * `flag` the client's opinion about retrying, `text` the message, `fallback` what is left when the message is silent.
 */
export type Weight = 'answer' | 'status' | 'system' | 'text_code' | 'rpc' | 'name' | 'general' | 'flag' | 'text' | 'fallback';

/** One line of a table. */
export interface Entry {
  readonly verdict: Verdict;
  readonly weight: Weight;
}

const transient = (category: ErrorCategory, ambiguous = false): Verdict => ({ classification: 'transient', category, ambiguous });
const permanent = (category: ErrorCategory, ambiguous = false): Verdict => ({ classification: 'permanent', category, ambiguous });

export const refused: Verdict = transient('network');
export const cut: Verdict = transient('network', true);
export const connectTimeout: Verdict = transient('timeout');
export const timeout: Verdict = transient('timeout', true);
export const rateLimit: Verdict = transient('rate_limit');
export const unavailable: Verdict = transient('unavailable');
export const brokenServer: Verdict = transient('unavailable', true);
export const contention: Verdict = transient('conflict');
export const exhausted: Verdict = transient('resource');
export const unknown: Verdict = transient('unknown');

export const auth: Verdict = permanent('auth');
export const permission: Verdict = permanent('permission');
export const notFound: Verdict = permanent('not_found');
export const invalidInput: Verdict = permanent('invalid_input');
export const conflict: Verdict = permanent('conflict');
export const unsupported: Verdict = permanent('unsupported');
export const tooLarge: Verdict = permanent('payload_too_large');
export const quota: Verdict = permanent('quota_exhausted');
/** The service answered, but not what was promised: it may well have done its work. */
export const contract: Verdict = permanent('contract', true);
export const untrusted: Verdict = permanent('network');
export const full: Verdict = permanent('resource');
export const bug: Verdict = permanent('bug');
export const refusedForGood: Verdict = permanent('unknown');

export const cancelled: Verdict = { classification: 'neutral', category: 'cancelled', ambiguous: false };

/** A table from rows of `[verdict, weight, 'code code code']`. */
export function tableOf(rows: readonly (readonly [Verdict, Weight, string])[]): ReadonlyMap<string, Entry> {
  const table = new Map<string, Entry>();
  for (const [verdict, weight, codes] of rows) {
    for (const code of codes.split(' ')) table.set(code, { verdict, weight });
  }
  return table;
}
