/**
 * Owns what HTTP statuses mean, in rows of `[verdict, statuses]`. Does not own where a status is found.
 * Only 500 is `general`: libraries also give it to failures that never reached a server.
 */
import * as is from './verdict.ts';
import type { Rows } from './verdict.ts';

export const statuses: Rows = [
  [is.auth, '401 407 511'],
  [is.quota, '402'],
  [is.permission, '403 451'],
  [is.notFound, '404 410'],
  [is.unsupported, '405 406 415 426 501 505'],
  [is.timeout, '504 524'],
  [is.connectTimeout, '408 522 598'],
  [is.conflict, '409 412 424'],
  [is.tooLarge, '413 414 431'],
  [is.refused, '421 523'],
  [is.contention, '423 449'],
  [is.unavailable, '425 503 521 525 526 529'],
  [is.rateLimit, '420 429'],
  [is.cancelled, '499'],
  [is.brokenServer, '500', is.general],
  [is.full, '507'],
  [is.invalidInput, '400 422'],
  [is.untrusted, '495 496'],
  [is.contract, '508'],
  // of clients that reached no server: their words tell more
  [is.connectTimeout, '599', is.fallback],
];

/** Whether a number can be an HTTP status. */
export function isStatus(value: number): boolean {
  return Number.isInteger(value) && value >= 100 && value < 600;
}
