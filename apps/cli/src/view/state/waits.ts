/** Folds why a call stands still: refused, waiting to be let in, pausing before the next attempt. */
import type { AdmissionWaiting, CallRefused, CallStarted, RecoveryDecided, RetryScheduled, Stamp } from '@holdfast/core/trace';
import { readDecision, readInputs } from '@holdfast/core/trace';
import { changeCall, endSpans, isAnswered, isPause } from './calls.ts';
import type { CallView, SpanView, TurnView } from './model.ts';
import { isRecord, text, time, timeOrNone } from './read.ts';

export function callStarted(view: TurnView, event: CallStarted & Stamp): TurnView {
  return changeCall(view, event, (call) => ({
    status: isAnswered(call) ? call.status : 'running',
    startedMs: call.startedMs ?? time(event.elapsed_ms),
  }));
}

export function callRefused(view: TurnView, event: CallRefused & Stamp): TurnView {
  return changeCall(view, event, (call) => ({
    spans: endSpans(call.spans, time(event.elapsed_ms), isPause),
    failures: [
      ...call.failures,
      {
        atMs: time(event.elapsed_ms),
        toolId: text(event.tool_id, call.currentTool),
        attempt: call.attempt,
        short: text(event.code, 'refused'),
        text: `not called: ${text(event.code, 'refused')}`,
        code: text(event.code),
        classification: 'neutral',
        refused: true,
        retryAfterMs: timeOrNone(event.retry_after_ms),
      },
    ],
  }));
}

export function recoveryDecided(view: TurnView, event: RecoveryDecided & Stamp): TurnView {
  if (!isRecord(event.inputs) || !isRecord(event.decision)) return view;
  return changeCall(view, event, (call) => ({
    maxAttempts: timeOrNone(event.inputs.max_attempts) ?? call.maxAttempts,
    decisions: [
      ...call.decisions,
      {
        atMs: time(event.elapsed_ms),
        toolId: text(event.tool_id, call.currentTool),
        attempt: time(event.attempt, call.attempt),
        inputs: readInputs(event.inputs),
        decision: readDecision(event.decision),
        decidedBy: text(event.decided_by, 'built_in'),
      },
    ],
  }));
}

export function retryScheduled(view: TurnView, event: RetryScheduled & Stamp): TurnView {
  return pause(view, event, 'backoff', 'backing_off', time(event.delay_ms));
}

export function admissionWaiting(view: TurnView, event: AdmissionWaiting & Stamp): TurnView {
  return pause(view, event, 'queue', 'queued', timeOrNone(event.delay_ms));
}

function pause(
  view: TurnView,
  event: (RetryScheduled | AdmissionWaiting) & Stamp,
  kind: 'backoff' | 'queue',
  status: CallView['status'],
  delayMs: number | undefined,
): TurnView {
  return changeCall(view, event, (call) => {
    if (isAnswered(call)) return {};
    const startMs = time(event.elapsed_ms);
    const span: SpanView = {
      kind,
      startMs,
      endMs: undefined,
      plannedEndMs: delayMs === undefined ? undefined : startMs + delayMs,
      toolId: text(event.tool_id, call.currentTool),
      attempt: call.attempt,
      result: 'running',
      hedge: false,
      probe: false,
    };
    return { status, startedMs: call.startedMs ?? startMs, spans: [...endSpans(call.spans, startMs, isPause), span] };
  });
}
