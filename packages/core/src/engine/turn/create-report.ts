/** Owns building the report of a turn: its outcome, its results in the plan's order, and the chain of calls that took longest. */
import type { ToolResult } from '../call/result.ts';
import type { TurnOutcome, TurnReport } from './report.ts';
import type { CallProgress, TurnState } from './state.ts';
import { summarize } from './summary.ts';

export function createReport(state: TurnState, now: number): TurnReport {
  const calls = [...state.calls.values()];
  const results: ToolResult[] = [];
  for (const callId of state.graph.submitted) {
    const result = state.calls.get(callId)?.result;
    if (result) results.push(result);
  }
  return {
    turnId: state.turnId,
    outcome: outcomeOf(state, calls),
    results,
    summary: summarize(results),
    escalated: calls.some(({ node, result }) => node.call.critical === true && result?.status !== 'success'),
    executionTime: now - state.startedAt,
    criticalPath: criticalPath(state),
  };
}

/** The sentence for the trace: in canonical order, and with the trace's own call names where tool names alone are ambiguous. */
export function canonicalSummary(state: TurnState, report: TurnReport): string {
  const results: ToolResult[] = [];
  for (const { node, result } of state.calls.values())
    if (result) results.push(result.callId === node.callId ? result : { ...result, callId: node.callId });
  // Usually the same sentence.
  return results.every((result, index) => result === report.results[index]) ? report.summary : summarize(results);
}

function outcomeOf(state: TurnState, calls: readonly CallProgress[]): TurnOutcome {
  if (state.ended !== undefined) return state.ended;
  const lost = calls.some(({ node, result }) => !node.call.optional && result?.status !== 'success');
  if (!lost) return 'success';
  return calls.some(({ result }) => result?.status === 'success') ? 'partial' : 'failed';
}

/** Walks back from the call that ended last, each time to the dependency that ended last. */
function criticalPath({ calls }: TurnState): readonly string[] {
  const path: string[] = [];
  let current = latest(calls.values());
  while (current) {
    path.push(current.node.callId);
    current = latest(current.node.dependsOn.map((name) => calls.get(name)));
  }
  return path.reverse();
}

/** The call that ended last, among those that were started. */
function latest(calls: Iterable<CallProgress | undefined>): CallProgress | undefined {
  let last: CallProgress | undefined;
  for (const call of calls)
    if (call?.startedAt !== undefined && (last === undefined || (call.settledAt ?? 0) > (last.settledAt ?? 0))) last = call;
  return last;
}
