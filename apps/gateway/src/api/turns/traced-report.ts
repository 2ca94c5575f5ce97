/** Owns building a report from the trace, for a turn whose report is no longer kept. */
import type { TraceEvent, TurnPlan } from '@holdfast/core';
import { foldTurn, type CallEnd, type CallView } from '@holdfast/core/turn-view';
import type { TracedReport, TracedResult } from '../../contract.ts';

/** Returns `undefined` if the turn has not ended. */
export function tracedReport(events: readonly TraceEvent[]): TracedReport | undefined {
  const turn = foldTurn(events);
  if (turn.outcome === undefined) return undefined;
  return {
    turn_id: turn.turnId,
    outcome: turn.outcome,
    summary: turn.summary,
    escalated: turn.escalated,
    execution_time_ms: Math.round(turn.durationMs ?? turn.elapsedMs),
    critical_path: turn.criticalPath,
    // The calls that have ended, in the order of the plan.
    results: turn.calls.flatMap((call) => (call.end === undefined ? [] : [tracedResult(call, call.end)])),
    from_trace: true,
  };
}

/** Whether the trace belongs to that plan, as far as a trace shows: the ids and tools of its calls. */
export function isRecordOf(plan: TurnPlan, events: readonly TraceEvent[]): boolean {
  const [started] = events;
  if (started?.event_type !== 'TurnStarted') return false;
  const recorded = started.calls.map(({ call_id, tool_id }) => JSON.stringify([call_id, tool_id])).toSorted();
  const planned = plan.calls.map(({ callId, toolName }, index) => JSON.stringify([callId ?? `call-${index + 1}`, toolName])).toSorted();
  return recorded.length === planned.length && recorded.every((call, index) => call === planned[index]);
}

function tracedResult(call: CallView, end: CallEnd): TracedResult {
  return {
    call_id: call.callId,
    tool_id: call.toolName,
    status: end.status,
    ...(end.status === 'success' && call.output !== undefined ? { output: call.output } : {}),
    ...(end.status === 'success' ? {} : { error: tracedError(call, end) }),
    execution_time_ms: Math.round(end.executionMs),
    attempts: end.attempts,
    served_by: end.servedBy,
    ...(end.fallbackUsed ? { fallback_used: true } : {}),
    ...(end.partial ? { partial: true } : {}),
    ...(end.skipped ? { skipped: true } : {}),
  };
}

function tracedError({ failures }: CallView, end: CallEnd): NonNullable<TracedResult['error']> {
  const last = failures.at(-1);
  const cause = last?.code === end.code ? last : undefined;
  // The trace uses the same words for classification and category.
  return {
    code: end.code || 'UNKNOWN',
    message: end.error || 'The call failed',
    ...(end.classification === '' ? {} : { classification: end.classification }),
    ...(end.category === '' ? {} : { category: end.category }),
    ...(end.stoppedBy === '' ? {} : { stopped_by: end.stoppedBy }),
    ...(cause === undefined ? {} : { rule: cause.rule, ambiguous: cause.ambiguous }),
    ...(cause?.retryAfterMs === undefined ? {} : { retry_after_ms: cause.retryAfterMs }),
  } as NonNullable<TracedResult['error']>;
}
