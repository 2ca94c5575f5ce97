/** Owns what Restate keeps of a turn that is over, as JSON: the result, and of which plan it is. */
import { createHash } from 'node:crypto';
import type { TurnPlan, TurnReport, TraceEvent } from '@holdfast/core';

/** A durable turn's result. */
export interface DurableTurnResult extends TurnReport {
  /** Why the plan could not be run; absent when it was. */
  readonly problems?: readonly string[];
  /** Where it was asked for. */
  readonly trace?: readonly TraceEvent[];
}

export interface TurnRecord {
  readonly result: DurableTurnResult;
  readonly planDigest: string;
}

/** The same for plans that are the same as JSON. Two turns of one id with different plans are told apart by it. */
export const planDigest = (plan: TurnPlan): string => {
  const { turnId: _, ...rest } = plan;
  // Read once more: whoever hands it in may hold what JSON leaves out, whoever runs it does not.
  const text = JSON.stringify(JSON.parse(JSON.stringify(rest)));
  return createHash('sha256').update(text).digest('base64url');
};
