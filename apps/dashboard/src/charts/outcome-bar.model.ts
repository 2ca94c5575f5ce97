/** The segments of the outcome bar. `failed` includes refused calls; here each call counts once. */
import type { CallCounts } from '@holdfast/gateway/contract';
import { type OutcomeAppearance, outcomeAppearances } from './outcomes.ts';

export interface OutcomePart {
  readonly appearance: OutcomeAppearance;
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
  return outcomeAppearances
    .map((appearance) => ({ appearance, count: counts[appearance.id], share: calls === 0 ? 0 : counts[appearance.id] / calls }))
    .filter(({ appearance, count }) => count > 0 || appearance.rare !== true);
}
