/** Owns the plans of the tests. */
import { ref, type TurnPlan } from '@holdfast/core';
import type { DurableTurnResult } from '@holdfast/durable';

/** Seven calls: a fan-out, a retry, an alternative, and a fan-in. */
export const sevenCalls = (turnId: string, ms: number): TurnPlan => ({
  turnId,
  calls: [
    { callId: 'A', toolName: 'work', arguments: { ms } },
    { callId: 'B', toolName: 'work', arguments: { ms, from: ref('A') } },
    { callId: 'C', toolName: 'work', arguments: { ms: ms * 3, from: ref('A') } },
    { callId: 'D', toolName: 'shaky', arguments: { ms }, dependsOn: ['A'] },
    { callId: 'E', toolName: 'broken', arguments: { ms }, dependsOn: ['D'] },
    { callId: 'F', toolName: 'work', arguments: { ms, b: ref('B'), c: ref('C') } },
    { callId: 'G', toolName: 'work', arguments: { ms, e: ref('E'), f: ref('F') } },
  ],
});

/** Its outcome, whatever happens to the workers. */
export const sevenOutputs: Readonly<Record<string, unknown>> = {
  A: { by: 'A' },
  B: { by: 'B' },
  C: { by: 'C' },
  D: { by: 'D', attempt: 2 },
  E: { by: 'E', spare: true },
  F: { by: 'F' },
  G: { by: 'G' },
};

/** By call: its output, or why there is none. */
export const outputsOf = ({ results }: DurableTurnResult): Readonly<Record<string, unknown>> =>
  Object.fromEntries(results.map((result) => [result.callId, result.status === 'success' ? result.output : result.error?.code]));
