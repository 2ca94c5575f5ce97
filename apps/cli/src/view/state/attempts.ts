/** Folds what happens to attempts: they start, report, succeed, fail, outlive their call. */
import type {
  AttemptAbandoned,
  AttemptStarted,
  LateResult,
  Stamp,
  ToolError,
  ToolProgress,
  ToolSucceeded,
  ToolTimeout,
} from '@holdfast/core/trace';
import { changeCall, endSpans, isAnswered, isPause } from './calls.ts';
import type { CallView, FailureView, SpanResult, SpanView, TurnView } from './model.ts';
import { text, time, timeOrNone } from './read.ts';

export function attemptStarted(view: TurnView, event: AttemptStarted & Stamp): TurnView {
  return changeCall(view, event, (call) => {
    const toolId = text(event.tool_id, call.toolId);
    const attempt = time(event.attempt, call.attempt + 1);
    const hedge = event.hedge === true;
    // Attempts are numbered through the call; limits and retries count those of one tool.
    const ofTool = call.spans.filter((span) => span.kind === 'attempt' && span.toolId === toolId && !span.hedge).length;
    const span: SpanView = {
      kind: 'attempt',
      startMs: time(event.elapsed_ms),
      endMs: undefined,
      plannedEndMs: undefined,
      toolId,
      attempt,
      result: 'running',
      hedge,
      probe: event.probe === true,
    };
    return {
      status: isAnswered(call) ? call.status : 'running',
      startedMs: call.startedMs ?? span.startMs,
      currentTool: toolId,
      attempt: ofTool + 1,
      maxAttempts: toolId === call.currentTool ? call.maxAttempts : undefined,
      attempts: call.attempts + 1,
      retries: call.retries + (ofTool > 0 && !hedge ? 1 : 0),
      spans: [...endSpans(call.spans, span.startMs, isPause), span],
      progress: undefined,
    };
  });
}

export function toolProgress(view: TurnView, event: ToolProgress & Stamp): TurnView {
  return changeCall(view, event, (call) => ({
    progress: {
      done: timeOrNone(event.progress),
      total: timeOrNone(event.total),
      text: text(event.message, call.progress?.text),
      partial: event.partial === true || call.progress?.partial === true,
    },
  }));
}

export function toolSucceeded(view: TurnView, event: ToolSucceeded & Stamp): TurnView {
  return changeCall(view, event, (call) => ({
    spans: closeAttempt(call, event, 'success', time(event.elapsed_ms)),
    progress: undefined,
  }));
}

export function toolTimeout(view: TurnView, event: ToolTimeout & Stamp): TurnView {
  return changeCall(view, event, (call) => ({ spans: closeAttempt(call, event, 'timeout', time(event.elapsed_ms)) }));
}

export function toolError(view: TurnView, event: ToolError & Stamp): TurnView {
  return changeCall(view, event, (call) => {
    const failure: FailureView = {
      atMs: time(event.elapsed_ms),
      toolId: text(event.tool_id, call.currentTool),
      attempt: time(event.attempt, call.attempt),
      short: shortError(event, call),
      text: text(event.error),
      code: text(event.code),
      classification: text(event.classification),
      refused: false,
      retryAfterMs: timeOrNone(event.retry_after_ms),
    };
    // A refusal was told by CallRefused already; its ToolError says the same again.
    const told = call.failures.some(
      (known) => known.refused && known.toolId === failure.toolId && known.code === failure.code && known.attempt === failure.attempt,
    );
    return {
      spans: closeAttempt(call, event, 'error', failure.atMs),
      failures: told ? call.failures : [...call.failures, failure],
    };
  });
}

function shortError(event: ToolError, call: CallView): string {
  if (typeof event.status === 'number') return String(event.status);
  const span = call.spans.findLast(({ kind, toolId }) => kind === 'attempt' && toolId === event.tool_id);
  if (span?.result === 'timeout') return 'timeout';
  return text(event.code) || text(event.category, 'error');
}

/** Work that stops within this time of being told to has done what it should: that is no news. */
const promptMs = 1000;

function stoppedPromptly(call: CallView, event: LateResult & Stamp): boolean {
  if (event.result === 'late_success' || call.orphan !== undefined) return false;
  const attempt = call.spans.findLast(ofAttempt(event));
  return attempt?.endMs !== undefined && time(event.elapsed_ms) - attempt.endMs <= promptMs;
}

export function lateResult(view: TurnView, event: LateResult & Stamp): TurnView {
  return changeCall(view, event, (call) =>
    stoppedPromptly(call, event)
      ? {}
      : {
          orphan: event.result === 'late_success' ? 'late_success' : 'late_failure',
          spans: withOrphan(call, event, time(event.elapsed_ms)),
        },
  );
}

export function attemptAbandoned(view: TurnView, event: AttemptAbandoned & Stamp): TurnView {
  return changeCall(view, event, (call) => ({
    orphan: 'abandoned',
    spans: withOrphan(call, event, time(event.elapsed_ms)),
  }));
}

interface AttemptEvent {
  readonly tool_id: string;
  readonly attempt: number;
}

const ofAttempt =
  (event: AttemptEvent) =>
  (span: SpanView): boolean =>
    span.kind === 'attempt' && span.toolId === event.tool_id && span.attempt === event.attempt;

function closeAttempt(call: CallView, event: AttemptEvent, result: SpanResult, endMs: number): readonly SpanView[] {
  const index = call.spans.findLastIndex((span) => span.endMs === undefined && ofAttempt(event)(span));
  const open = call.spans[index];
  if (open === undefined) return call.spans;
  return call.spans.with(index, { ...open, endMs: Math.max(open.startMs, endMs), result });
}

/** From where the attempt was given up to where its work really ended. */
function withOrphan(call: CallView, event: AttemptEvent, endMs: number): readonly SpanView[] {
  const attempt = call.spans.findLast(ofAttempt(event));
  const going = call.spans.findLastIndex((span) => span.kind === 'orphan' && span.endMs === undefined);
  const open = call.spans[going];
  if (open !== undefined) return call.spans.with(going, { ...open, endMs: Math.max(open.startMs, endMs) });
  if (attempt?.endMs === undefined || attempt.endMs >= endMs) return call.spans;
  return [...call.spans, { ...attempt, kind: 'orphan', startMs: attempt.endMs, endMs }];
}
