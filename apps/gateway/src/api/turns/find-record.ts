/** Owns finding the record of a turn that a request names, and refusing the request when the record is of another plan. */
import type { Store } from '@holdfast/core/store';
import type { Refusal } from '../problem.ts';
import { conflict, type NamedPlan, type TurnRequest } from './api-turns.ts';
import { findTurn, type FoundTurn } from './find-turn.ts';
import { isRecordOf } from './traced-report.ts';

/** `undefined`: there is no record, or it cannot be read. */
export async function findRecord(
  history: Store,
  request: TurnRequest,
  plan: NamedPlan,
): Promise<FoundTurn | { readonly refusal: Refusal } | undefined> {
  const found = await findTurn(history, plan.turnId).catch(() => undefined);
  return found === undefined || isRecordOf(plan, found.events) ? found : { refusal: conflict(request, plan.turnId) };
}
