/**
 * Owns what an HTTP status means. Does not own where one is found.
 * Only 500 is `general`: libraries also give it to failures that never reached a server.
 */
import * as is from './verdict.ts';
import type { Entry } from './verdict.ts';

const statuses = is.tableOf([
  [is.invalidInput, 'status', '400 418 422 428'],
  [is.auth, 'status', '401 407 511'],
  [is.quota, 'status', '402'],
  [is.permission, 'status', '403 451'],
  [is.notFound, 'status', '404 410'],
  [is.unsupported, 'status', '405 406 415 426 501 505'],
  [is.timeout, 'status', '504 524'],
  [is.connectTimeout, 'status', '408 522 598 599'],
  [is.conflict, 'status', '409 412 424'],
  [is.tooLarge, 'status', '413 414 431'],
  [is.refused, 'status', '421 523'],
  [is.contention, 'status', '423'],
  [is.unavailable, 'status', '425 503 521 525 526 527 529 530'],
  [is.rateLimit, 'status', '420 429'],
  [is.cancelled, 'status', '499'],
  [is.brokenServer, 'general', '500'],
  [is.brokenServer, 'status', '502 520'],
  [is.full, 'status', '507'],
  [is.untrusted, 'status', '495 496'],
  [is.contract, 'status', '508'],
]);

const otherRefusal: Entry = { verdict: is.invalidInput, weight: 'status' };
const otherFault: Entry = { verdict: is.brokenServer, weight: 'status' };

/** The meaning of a status, or nothing where it names no failure. */
export function statusEntry(status: number): Entry | undefined {
  const known = statuses.get(String(status));
  if (known) return known;
  if (status >= 400 && status < 500) return otherRefusal;
  return status >= 500 && status < 600 ? otherFault : undefined;
}

/** A number that can be an HTTP status at all. */
export function isStatus(value: number): boolean {
  return Number.isInteger(value) && value >= 100 && value < 600;
}
