/**
 * Owns the openings of messages that show that a request was not carried out: sentences that clients and servers write themselves. Elsewhere in a message
 * the same words may be about something else, such as a room that is busy or a receipt that could not be reached.
 *
 * 1. Patterns are anchored and repeat only within fixed bounds.
 */
import type { Verdict } from './verdict.ts';

const opening = (patterns: readonly string[]): RegExp => new RegExp(`^(?:\\w{0,24}Error: )?(?:${patterns.join('|')})`);

/** There was no connection yet. */
const beforeSending = /* @__PURE__ */ opening([
  '(?:connect|listen) E[A-Z]{4,16}\\b',
  'getaddrinfo E',
  'request to \\S{1,400} failed, reason: (?:connect|getaddrinfo) E',
  'Client network socket disconnected before secure TLS',
  'Opening handshake',
  'Unexpected server response: [45]\\d\\d$',
  "Timeout awaiting '(?:lookup|connect|secureConnect)' for ",
  'Failed to connect to \\S{1,200} in \\d',
  'timeout exceeded when trying to connect$',
  'Knex: Timeout acquiring a connection',
  '14 UNAVAILABLE: (?:No connection established|Name resolution failed)',
]);

const status = '(?:42[0359])\\b';
const reason = '(?:42[0359]) (?:Enhance Your Calm|Locked|Too Early|Too Many Requests|Rate limit|\\{)';

/** A server or a database rejected it. */
const rejected = /* @__PURE__ */ opening([
  `Request failed with status(?: code)? ${status}`,
  `Response code ${status}`,
  `HTTP-Code: ${status}`,
  `GraphQL Error \\(Code: ${status}`,
  `\\[[A-Z]{3,7}\\] "[^"]{1,400}": ${reason}`,
  reason,
  'Too [Mm]any [Rr]equests$',
  '8 RESOURCE_EXHAUSTED: ',
  '\\[resource_exhausted\\] ',
  '(?:READONLY You |MASTERDOWN Link |MISCONF Redis |CLUSTERDOWN |BUSY Redis )',
  '(?:SQLITE_BUSY: )?database (?:table )?is locked$',
  'could not (?:serialize access due to |obtain lock on )',
  'canceling statement due to lock timeout$',
  'Lock wait timeout exceeded; try restarting transaction$',
  'WriteConflict error: ',
  'EBUSY: resource busy or locked, ',
]);

export const isBeforeSending = (text: string): boolean => beforeSending.test(text);

/** What a verdict is worth when only a message says so: unless the message opens with a rejection, words do not show that a request was not carried out. */
export function inWords(verdict: Verdict, text: string): Verdict {
  return verdict.classification !== 'transient' || rejected.test(text) ? verdict : { ...verdict, ambiguous: true };
}
