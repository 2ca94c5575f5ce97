/** Owns what a turn comes to: its outcome, its results in the plan's order, and the chain of calls that took longest. */
import type { ToolResult } from '../call/result.ts';
import type { CallProgress, TurnState } from './state.ts';
import { summarize } from './summary.ts';

/**
 * `success`: every required call succeeded. `deadline`: the turn's time was up before all calls had answered. `partial` and `failed`: a required call did
 * not succeed, and some or no other did.
 */
export type TurnOutcome = 'success' | 'partial' | 'failed' | 'deadline' | 'cancelled';

export interface TurnReport {
  readonly turnId: string;
  readonly outcome: TurnOutcome;
  /** One per call, in the order of the plan. */
  readonly results: readonly ToolResult[];
  /** A sentence such as `Completed flight search, but hotel search timed out`. */
  readonly summary: string;
  /** A `critical` call is lost: the turn itself has missed its purpose. */
  readonly escalated: boolean;
  readonly executionTime: number;
  /** Call ids of the chain that took longest, first to last. */
  readonly criticalPath: readonly string[];
}

export function createReport(state: TurnState, now: number): TurnReport {
  const calls = [...state.calls.values()];
  const results = state.graph.submitted.flatMap((callId) => state.calls.get(callId)?.result ?? []);
  return {
    turnId: state.turnId,
    outcome: outcomeOf(state, calls),
    results,
    summary: summarize(results),
    escalated: calls.some(({ node, result }) => node.call.critical === true && result?.status !== 'success'),
    executionTime: now - state.startedAt,
    criticalPath: criticalPath(state, calls),
  };
}

/** The sentence for the trace, which must not depend on the order of submission. */
export function canonicalSummary(state: TurnState): string {
  return summarize([...state.calls.values()].flatMap(({ result }) => result ?? []));
}

function outcomeOf(state: TurnState, calls: readonly CallProgress[]): TurnOutcome {
  if (state.ended !== undefined) return state.ended;
  const lost = calls.some(({ node, result }) => !node.call.optional && result?.status !== 'success');
  if (!lost) return 'success';
  return calls.some(({ result }) => result?.status === 'success') ? 'partial' : 'failed';
}

/** Back from the call that ended last, each time to the dependency that ended last. */
function criticalPath(state: TurnState, calls: readonly CallProgress[]): readonly string[] {
  const path: string[] = [];
  let current = latest(calls.filter(({ startedAt }) => startedAt !== undefined));
  while (current) {
    path.unshift(current.node.callId);
    current = latest(current.node.dependsOn.flatMap((name) => state.calls.get(name) ?? []).filter(({ startedAt }) => startedAt !== undefined));
  }
  return path;
}

function latest(calls: readonly CallProgress[]): CallProgress | undefined {
  return calls.reduce<CallProgress | undefined>((last, call) => (last === undefined || (call.settledAt ?? 0) > (last.settledAt ?? 0) ? call : last), undefined);
}
