/** Owns reading a turn's report out of its trace, for turns whose report itself is gone. */
import type { TraceEvent, TurnPlan } from '@holdfast/core';
import type { CallCompleted, ToolError, ToolSucceeded } from '@holdfast/core/trace';
import { turnEndOf } from '@holdfast/core/trace';
import type { TracedReport, TracedResult } from '../../contract.ts';

/** `undefined`: the turn has not ended. */
export function tracedReport(events: readonly TraceEvent[]): TracedReport | undefined {
  const last = events.findLast((event) => turnEndOf(event) !== undefined);
  const end = last && turnEndOf(last);
  if (last === undefined || end === undefined) return undefined;
  const { event_type: type } = last;
  const ofTurn = type === 'TurnCompleted' ? last : undefined;
  return {
    turn_id: last.turn_id,
    outcome: end.outcome,
    summary: end.summary,
    escalated: ofTurn?.escalated ?? false,
    execution_time_ms: Math.round(ofTurn?.duration_ms ?? last.elapsed_ms),
    critical_path: ofTurn?.critical_path ?? [],
    results: tracedResults(events),
    from_trace: true,
  };
}

/** Whether the trace is of that plan, as far as a trace tells: the ids and tools of its calls. */
export function isRecordOf(plan: TurnPlan, events: readonly TraceEvent[]): boolean {
  const [started] = events;
  if (started?.event_type !== 'TurnStarted') return false;
  const recorded = started.calls.map(({ call_id, tool_id }) => JSON.stringify([call_id, tool_id])).toSorted();
  const planned = plan.calls.map(({ callId, toolName }, index) => JSON.stringify([callId ?? `call-${index + 1}`, toolName])).toSorted();
  return recorded.length === planned.length && recorded.every((call, index) => call === planned[index]);
}

/** In the canonical order of the plan; those that were answered. */
function tracedResults(events: readonly TraceEvent[]): readonly TracedResult[] {
  const ends = new Map<string, CallCompleted>();
  const outputs = new Map<string, ToolSucceeded>();
  const errors = new Map<string, ToolError>();
  for (const event of events) {
    if (event.event_type === 'CallCompleted') ends.set(event.call_id, event);
    else if (event.event_type === 'ToolSucceeded') outputs.set(event.call_id, event);
    else if (event.event_type === 'ToolError') errors.set(event.call_id, event);
  }
  const [started] = events;
  const planned = started?.event_type === 'TurnStarted' ? started.calls.map(({ call_id }) => call_id) : [...ends.keys()];
  return planned.flatMap((callId) => {
    const end = ends.get(callId);
    return end === undefined ? [] : [tracedResult(end, outputs.get(callId)?.output, errors.get(callId))];
  });
}

function tracedResult(end: CallCompleted, output: unknown, error: ToolError | undefined): TracedResult {
  return {
    call_id: end.call_id,
    tool_id: end.tool_id,
    status: end.status,
    ...(end.status === 'success' && output !== undefined ? { output } : {}),
    ...(end.status === 'success' ? {} : { error: tracedError(end, error) }),
    execution_time_ms: Math.round(end.execution_time_ms),
    attempts: end.attempts,
    served_by: end.served_by,
    ...(end.fallback_used === undefined ? {} : { fallback_used: end.fallback_used }),
    ...(end.partial === undefined ? {} : { partial: end.partial }),
    ...(end.skipped === undefined ? {} : { skipped: end.skipped }),
  };
}

function tracedError(end: CallCompleted, error: ToolError | undefined): NonNullable<TracedResult['error']> {
  const same = error?.code === end.code ? error : undefined;
  return {
    code: end.code ?? 'UNKNOWN',
    message: end.error ?? 'The call failed',
    ...(end.classification === undefined ? {} : { classification: end.classification }),
    ...(end.category === undefined ? {} : { category: end.category }),
    ...(end.stopped_by === undefined ? {} : { stopped_by: end.stopped_by }),
    ...(same === undefined ? {} : { rule: same.rule, ambiguous: same.ambiguous }),
    ...(same?.retry_after_ms === undefined ? {} : { retry_after_ms: same.retry_after_ms }),
  };
}
