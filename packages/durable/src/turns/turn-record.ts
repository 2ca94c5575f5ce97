/** Owns the record of a finished turn in Restate, as JSON: the result and a digest of the plan. */
import { createHash } from 'node:crypto';
import type { TurnPlan, TurnReport, TraceEvent } from '@holdfast/core';
import { isRecord } from '@holdfast/core/internal/plain';

/** A durable turn's result. */
export interface DurableTurnResult extends TurnReport {
  /** Why the plan could not be run; absent when it was. */
  readonly problems?: readonly string[];
  /** Only if it was requested. */
  readonly trace?: readonly TraceEvent[];
  /** What was left out because the result was too large for Restate; absent if the result is complete. */
  readonly truncated?: {
    /** The calls whose output was truncated to the beginning, as a string. */
    readonly calls: readonly string[];
    /** Whether the trace was requested and left out. */
    readonly trace: boolean;
  };
}

export interface TurnRecord {
  readonly result: DurableTurnResult;
  readonly planDigest: string;
}

const byName = ([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number => (one < other ? -1 : 1);

/** The order of fields has no meaning in JSON. */
const inOrder = (_name: string, value: unknown): unknown =>
  isRecord(value) ? Object.fromEntries(Object.entries(value).toSorted(byName)) : value;

/** Equal for plans that are equal as JSON, apart from the id. It distinguishes different plans with the same turn id. */
export const planDigest = (plan: TurnPlan): string =>
  createHash('sha256')
    .update(JSON.stringify({ ...plan, turnId: undefined }, inOrder))
    .digest('base64url');

/** A plan as the worker receives it: without what JSON leaves out. */
export const asReceived = (plan: TurnPlan): TurnPlan => {
  const read: unknown = JSON.parse(JSON.stringify(plan));
  // oxlint-disable-next-line no-unsafe-type-assertion -- a plan after the round trip
  return read as TurnPlan;
};
