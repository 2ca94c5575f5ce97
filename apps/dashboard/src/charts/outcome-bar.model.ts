/** The segments of the outcome bar. `failed` includes refused calls; here each call counts once. */
import type { CallCounts } from '@holdfast/gateway/contract';
import { type OutcomeLook, outcomeLooks } from './outcomes.ts';

export interface OutcomePart {
  readonly look: OutcomeLook;
  readonly count: number;
  readonly share: number;
}

export function outcomeParts({
  calls,
  first_try,
  recovered,
  failed,
  refused,
  rejected,
  skipped,
  cancelled,
}: CallCounts): readonly OutcomePart[] {
  const counts = {
    first_try,
    recovered,
    failed: Math.max(0, failed - refused),
    refused: Math.min(failed, refused),
    rejected,
    skipped,
    cancelled,
  };
  return outcomeLooks
    .map((look) => ({ look, count: counts[look.id], share: calls === 0 ? 0 : counts[look.id] / calls }))
    .filter(({ look, count }) => count > 0 || look.rare !== true);
}
