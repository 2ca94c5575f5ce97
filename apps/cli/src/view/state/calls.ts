/** Calls of a turn: found by id, made when unknown, changed without touching the state before. */
import type { CallView, SpanView, TurnView } from './model.ts';
import { text } from './read.ts';

export function newCall(callId: string, toolId: string, planned: boolean): CallView {
  return {
    callId,
    toolId,
    planned,
    dependsOn: [],
    optional: false,
    critical: false,
    status: 'waiting',
    startedMs: undefined,
    endedMs: undefined,
    currentTool: toolId,
    attempt: 0,
    maxAttempts: undefined,
    attempts: 0,
    retries: 0,
    spans: [],
    failures: [],
    decisions: [],
    alternatives: [],
    defaults: [],
    skip: undefined,
    escalation: undefined,
    progress: undefined,
    orphan: undefined,
    result: undefined,
  };
}

export interface CallEvent {
  readonly call_id: string;
  readonly tool_id: string;
}

/** Applies a change to the call of an event. An unknown call is added at the end: the trace may have lost its plan. */
export function changeCall(view: TurnView, event: CallEvent, change: (call: CallView) => Partial<CallView>): TurnView {
  const callId = text(event.call_id);
  if (callId === '') return view;
  const index = view.calls.findIndex((call) => call.callId === callId);
  const before = view.calls[index] ?? newCall(callId, text(event.tool_id, callId), false);
  const after: CallView = { ...before, ...change(before) };
  const calls = index === -1 ? [...view.calls, after] : view.calls.with(index, after);
  return { ...view, calls };
}

/** Ends the spans that a predicate picks and that still go on. */
export function endSpans(spans: readonly SpanView[], endMs: number, picked: (span: SpanView) => boolean): readonly SpanView[] {
  return spans.map((span) => (span.endMs === undefined && picked(span) ? { ...span, endMs: Math.max(span.startMs, endMs) } : span));
}

export const isPause = (span: SpanView): boolean => span.kind === 'backoff' || span.kind === 'queue';

/** A call that was answered stays so; what its work does afterwards is told, not shown as running. */
export const isAnswered = (call: CallView): boolean => call.result !== undefined;
