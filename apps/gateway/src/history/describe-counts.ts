/** Owns converting counts for the API: of a tool in the overview, of all tools, and of a range. */
import type { CellCounts } from '@holdfast/core/history';
import { callsOf, shareOf } from '@holdfast/core/internal';
import type { CallCounts, Share } from '../contract.ts';

export function toCallCounts(counts: CellCounts): CallCounts {
  const { first_try, recovered, failed, cancelled, skipped, rejected, refused, served } = counts;
  return { calls: callsOf(counts), first_try, recovered, failed, cancelled, skipped, rejected, refused, served };
}

/** Returns the share of failed calls among those that were neither cancelled, skipped nor rejected. */
export function failureShare({ first_try, recovered, failed }: CellCounts): Share {
  return shareOf(failed, first_try + recovered + failed);
}

export function retrySuccess({ retried_calls, retried_successes }: CellCounts): Share {
  return shareOf(retried_successes, retried_calls);
}
