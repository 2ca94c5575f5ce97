/** Folds what happens to attempts: they start, report, succeed, fail, outlive their call. */
import type { TraceEvent } from '@holdfast/gateway/contract';
import { callOf, type DraftCall, type DraftSegment, type DraftTurn, endOpen, isWait, newSegment } from './draft.ts';
import { said, text, time, timeOrNone } from './read.ts';
import type { SegmentResult } from './turn-view.ts';

type Of<Type extends TraceEvent['event_type']> = Extract<TraceEvent, { readonly event_type: Type }>;

export function attemptStarted(turn: DraftTurn, event: Of<'AttemptStarted'>): void {
  const call = callOf(turn, event);
  const atMs = time(event.elapsed_ms);
  const toolId = text(event.tool_id, call.toolId);
  endOpen(call, atMs, isWait);
  if (call.end === undefined) call.status = 'running';
  call.startedMs ??= atMs;
  call.progress = '';
  call.segments.push(
    newSegment('attempt', atMs, {
      toolId,
      attempt: time(event.attempt, 1),
      result: 'running',
      hedge: event.hedge === true,
      probe: event.probe === true,
      alternative: toolId !== call.toolId,
      timeoutMs: timeOrNone(event.timeout_ms),
      circuit: text(event.circuit_breaker_state),
    }),
  );
}

export function toolProgress(turn: DraftTurn, event: Of<'ToolProgress'>): void {
  const call = callOf(turn, event);
  const done = timeOrNone(event.progress);
  const total = timeOrNone(event.total);
  const share = done === undefined ? '' : total === undefined ? `${done}` : `${done} of ${total}`;
  const partial = event.partial === true ? 'partial output' : '';
  call.progress = [said(event.message), share, partial].filter((part) => part !== '').join(', ');
}

export function toolSucceeded(turn: DraftTurn, event: Of<'ToolSucceeded'>): void {
  const call = callOf(turn, event);
  closeAttempt(call, event, 'success', time(event.elapsed_ms));
  if (event.output !== undefined) call.output = event.output;
}

export function toolTimeout(turn: DraftTurn, event: Of<'ToolTimeout'>): void {
  closeAttempt(callOf(turn, event), event, 'timeout', time(event.elapsed_ms));
}

export function toolError(turn: DraftTurn, event: Of<'ToolError'>): void {
  const call = callOf(turn, event);
  const atMs = time(event.elapsed_ms);
  const attempt = time(event.attempt);
  const code = text(event.code);
  const segment = closeAttempt(call, event, code === 'CANCELLED' ? 'cancelled' : 'error', atMs);
  if (segment) segment.code = typeof event.status === 'number' ? String(event.status) : code;
  // A refusal was told by CallRefused already; its ToolError says the same again.
  if (call.failures.some((known) => known.refused && known.code === code && known.attempt === attempt && known.atMs === atMs)) return;
  call.failures.push({
    seq: event.seq,
    atMs,
    toolId: text(event.tool_id, call.toolId),
    attempt,
    code,
    category: text(event.category),
    classification: text(event.classification),
    rule: text(event.rule),
    text: said(event.error),
    status: timeOrNone(event.status),
    retryAfterMs: timeOrNone(event.retry_after_ms),
    ambiguous: event.ambiguous === true,
    refused: attempt === 0,
    circuit: text(event.circuit_breaker_state),
    durationMs: attempt === 0 ? undefined : timeOrNone(event.duration_ms),
  });
}

export function lateResult(turn: DraftTurn, event: Of<'LateResult'>): void {
  addLate(callOf(turn, event), event, event.result === 'late_success' ? 'late_success' : 'late_failure');
}

export function attemptAbandoned(turn: DraftTurn, event: Of<'AttemptAbandoned'>): void {
  addLate(callOf(turn, event), event, 'abandoned');
}

interface OfAttempt {
  readonly tool_id: string;
  readonly attempt: number;
  readonly elapsed_ms: number;
}

const isOf =
  (event: OfAttempt) =>
  (segment: DraftSegment): boolean =>
    segment.kind === 'attempt' && segment.attempt === event.attempt && segment.toolId === event.tool_id;

function closeAttempt(call: DraftCall, event: OfAttempt, result: SegmentResult, atMs: number): DraftSegment | undefined {
  const segment = call.segments.findLast(isOf(event));
  if (segment === undefined || segment.endMs !== undefined) return segment;
  segment.endMs = Math.max(segment.startMs, atMs);
  segment.result = result;
  return segment;
}

/** From where the attempt was given up to where its work really ended. */
function addLate(call: DraftCall, event: OfAttempt, result: SegmentResult): void {
  const endMs = time(event.elapsed_ms);
  const attempt = call.segments.findLast(isOf(event));
  if (attempt?.endMs === undefined || attempt.endMs >= endMs) return;
  const { toolId, alternative } = attempt;
  call.segments.push({ ...newSegment('late', attempt.endMs, { toolId, alternative, attempt: event.attempt, result }), endMs });
}
