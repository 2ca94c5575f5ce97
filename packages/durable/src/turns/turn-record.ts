/** Owns what Restate keeps of a turn that is over, as JSON: the result, and of which plan it is. */
import { createHash } from 'node:crypto';
import type { TurnPlan, TurnReport, TraceEvent } from '@holdfast/core';
import { isRecord } from '@holdfast/core/internal/plain';

/** A durable turn's result. */
export interface DurableTurnResult extends TurnReport {
  /** Why the plan could not be run; absent when it was. */
  readonly problems?: readonly string[];
  /** Where it was asked for. */
  readonly trace?: readonly TraceEvent[];
  /** What was left out so that Restate could take the result, which was too large; absent when it holds everything. */
  readonly truncated?: {
    /** The calls of whose outputs only the beginning is left, as a string. */
    readonly calls: readonly string[];
    /** The trace was asked for and left out. */
    readonly trace: boolean;
  };
}

export interface TurnRecord {
  readonly result: DurableTurnResult;
  readonly planDigest: string;
}

const byName = ([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number => (one < other ? -1 : 1);

/** In JSON the order of an object's fields means nothing. */
const inOrder = (_name: string, value: unknown): unknown =>
  isRecord(value) ? Object.fromEntries(Object.entries(value).toSorted(byName)) : value;

/** The same for plans that are the same as JSON, whatever their id. Two turns of one id with different plans are told apart by it. */
export const planDigest = (plan: TurnPlan): string =>
  createHash('sha256')
    .update(JSON.stringify({ ...plan, turnId: undefined }, inOrder))
    .digest('base64url');

/** A plan as anyone who runs it reads it: what JSON leaves out is gone. */
export const asHandedIn = (plan: TurnPlan): TurnPlan => {
  const read: unknown = JSON.parse(JSON.stringify(plan));
  // oxlint-disable-next-line no-unsafe-type-assertion -- a plan again
  return read as TurnPlan;
};
