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

/** The same for plans that are the same as JSON, whatever their id. Two turns of one id with different plans are told apart by it. */
export const planDigest = (plan: TurnPlan): string =>
  createHash('sha256')
    .update(JSON.stringify({ ...plan, turnId: undefined }))
    .digest('base64url');

/** A plan as whoever runs it reads it: what JSON leaves out is gone. */
export const asHandedIn = (plan: TurnPlan): TurnPlan => {
  const read: unknown = JSON.parse(JSON.stringify(plan));
  // oxlint-disable-next-line no-unsafe-type-assertion -- a plan again
  return read as TurnPlan;
};
