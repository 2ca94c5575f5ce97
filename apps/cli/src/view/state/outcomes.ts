/** Folds how a call is answered: by another tool, with a stand-in, not at all, and the result itself. */
import type { AlternativeUsed, CallCompleted, DefaultUsed, Escalated, Stamp, ToolSkipped } from '@holdfast/core/trace';
import { changeCall, endSpans } from './calls.ts';
import type { CallStatus, CallView, TurnView } from './model.ts';
import { text, texts, time } from './read.ts';

export function alternativeUsed(view: TurnView, event: AlternativeUsed & Stamp): TurnView {
  const alternative = text(event.alternative);
  return changeCall(view, event, (call) => ({
    alternatives: call.alternatives.includes(alternative) ? call.alternatives : [...call.alternatives, alternative],
  }));
}

export function defaultUsed(view: TurnView, event: DefaultUsed & Stamp): TurnView {
  return changeCall(view, event, (call) => ({ defaults: [...call.defaults, text(event.dependency)] }));
}

export function toolSkipped(view: TurnView, event: ToolSkipped & Stamp): TurnView {
  return changeCall(view, event, (call) => ({
    status: 'skipped',
    endedMs: call.endedMs ?? time(event.elapsed_ms),
    skip: { optional: event.optional === true, causedBy: texts(event.caused_by), text: text(event.message) },
  }));
}

export function escalated(view: TurnView, event: Escalated & Stamp): TurnView {
  return changeCall({ ...view, escalated: true }, event, () => ({
    escalation: text(event.user_message) || text(event.message, text(event.code)),
  }));
}

export function callCompleted(view: TurnView, event: CallCompleted & Stamp): TurnView {
  return changeCall(view, event, (call) => {
    const endMs = time(event.elapsed_ms);
    return {
      status: finalStatus(call, event),
      endedMs: call.endedMs ?? endMs,
      spans: endSpans(call.spans, endMs, () => true).map((span) =>
        span.kind === 'attempt' && span.result === 'running' ? { ...span, result: resultOf(event.status) } : span,
      ),
      progress: undefined,
      result: {
        status: resultOf(event.status),
        servedBy: text(event.served_by, call.currentTool),
        attempts: time(event.attempts, call.attempts),
        executionTimeMs: time(event.execution_time_ms),
        code: text(event.code) || undefined,
        error: text(event.error) || undefined,
        stoppedBy: text(event.stopped_by) || undefined,
        fallbackUsed: event.fallback_used === true,
        partial: event.partial === true,
      },
    };
  });
}

const resultOf = (status: unknown): CallCompleted['status'] => (status === 'success' || status === 'timeout' ? status : 'error');

function finalStatus(call: CallView, event: CallCompleted): CallStatus {
  if (event.skipped === true || call.skip !== undefined) return 'skipped';
  const status = resultOf(event.status);
  const ended = event.code === 'CANCELLED' || event.code === 'TURN_DEADLINE';
  if (status === 'success' || !ended) return status;
  if (time(event.attempts, call.attempts) === 0) return 'not_run';
  return event.code === 'CANCELLED' ? 'cancelled' : status;
}
