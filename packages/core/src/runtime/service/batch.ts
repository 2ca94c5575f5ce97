/** Owns running a batch: a turn of independent calls, whose trace is never read as a whole. */
import type { ToolResult } from '../../engine/call/result.ts';
import type { CancelSignal } from '../../engine/ports/signal.ts';
import { StreamedTrace } from '../../engine/trace/streamed-trace.ts';
import type { PlanGraph } from '../../engine/turn/plan.ts';
import { independentGraph } from '../../engine/turn/plan.ts';
import { contextFor } from './partitions.ts';
import type { ServiceContext } from './service-context.ts';
import type { ReadCall } from './tool-call.ts';
import { uniqueKeys } from './tool-call.ts';
import { runTurn } from './turn-execution.ts';

export interface BatchOptions {
  readonly limit: number | undefined;
  readonly signal: CancelSignal | undefined;
  /** Monotonic time at which it was submitted. */
  readonly startedAt: number;
}

/** The results of the calls that can be run, in order. */
export async function runBatch(
  context: ServiceContext,
  read: readonly ReadCall[],
  { limit, signal, startedAt }: BatchOptions,
): Promise<readonly ToolResult[]> {
  const runnable = read.filter(({ problem }) => problem === undefined);
  const ids = runnable.map(({ callId }) => callId);
  let graph = independentGraph(runnable, ids);
  const keys = hasDuplicateIds(graph) ? uniqueKeys(ids) : ids;
  if (keys !== ids) graph = independentGraph(runnable, keys);
  const turnId = context.nextTurnId();
  const { results } = await runTurn(contextFor(context, turnId), {
    turnId,
    trace: new StreamedTrace(context.streamedTraces, turnId, startedAt, context.epochAt(startedAt)),
    graph,
    settings: limit === undefined ? context.turnSettings : { ...context.turnSettings, timeoutMs: limit },
    signal,
    startedAt,
    ...(keys === ids ? {} : { callIds: new Map(keys.map((key, index) => [key, ids[index] ?? key])) }),
  });
  // The result of a call that never ran has only its key.
  return keys === ids ? results : results.map((result, index) => ({ ...result, callId: ids[index] ?? result.callId }));
}

/** Whether two calls have the same id: in canonical order they are adjacent. */
function hasDuplicateIds({ nodes }: PlanGraph): boolean {
  return nodes.some(({ callId }, index) => index > 0 && nodes[index - 1]?.callId === callId);
}
