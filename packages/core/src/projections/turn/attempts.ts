/** Folds the events of attempts: start, progress, success, failure, and work that outlives its call. */
import type {
  AttemptAbandoned,
  AttemptStarted,
  LateResult,
  ToolError,
  ToolProgress,
  ToolSucceeded,
  ToolTimeout,
} from '../../engine/trace/events/call.ts';
import type { Stamp } from '../../engine/trace/events.ts';
import { callOf, endWaits, newSegment, type DraftCall, type DraftSegment, type DraftTurn } from './draft.ts';
import { text, time, timeOrNone } from './fields.ts';
import type { SegmentResult } from './turn-view.ts';

export function attemptStarted(turn: DraftTurn, event: AttemptStarted & Stamp): void {
  const call = callOf(turn, event);
  const atMs = time(event.elapsed_ms);
  const toolName = text(event.tool_id, call.toolName);
  const hedge = event.hedge === true;
  // Attempts are numbered per call; limits and retries count per tool.
  const earlierAttempts = call.segments.filter(
    (segment) => segment.kind === 'attempt' && segment.toolName === toolName && !segment.hedge,
  ).length;
  endWaits(call, atMs);
  if (call.end === undefined) call.status = 'running';
  call.startedMs ??= atMs;
  call.progress = undefined;
  if (toolName !== call.currentTool) call.maxAttempts = undefined;
  call.currentTool = toolName;
  call.attempt = earlierAttempts + 1;
  call.attempts += 1;
  if (earlierAttempts > 0 && !hedge) call.retries += 1;
  call.segments.push(
    newSegment('attempt', atMs, {
      toolName,
      attempt: time(event.attempt, 1),
      result: 'running',
      hedge,
      probe: event.probe === true,
      alternative: toolName !== call.toolName,
      timeoutMs: timeOrNone(event.timeout_ms),
      circuit: text(event.circuit_breaker_state),
    }),
  );
}

export function toolProgress(turn: DraftTurn, event: ToolProgress & Stamp): void {
  const call = callOf(turn, event);
  call.progress = {
    done: timeOrNone(event.progress),
    total: timeOrNone(event.total),
    message: turn.message(event.message, call.progress?.message),
    partial: event.partial === true || call.progress?.partial === true,
  };
}

export function toolSucceeded(turn: DraftTurn, event: ToolSucceeded & Stamp): void {
  const call = callOf(turn, event);
  endAttempt(call, event, 'success');
  call.progress = undefined;
  if (event.output !== undefined) call.output = event.output;
}

export function toolTimeout(turn: DraftTurn, event: ToolTimeout & Stamp): void {
  endAttempt(callOf(turn, event), event, 'timeout');
}

export function toolError(turn: DraftTurn, event: ToolError & Stamp): void {
  const call = callOf(turn, event);
  const atMs = time(event.elapsed_ms);
  const attempt = time(event.attempt);
  const code = text(event.code);
  const segment = endAttempt(call, event, code === 'CANCELLED' ? 'cancelled' : 'error');
  if (segment) segment.code = typeof event.status === 'number' ? String(event.status) : code;
  // A refusal has its own event; the ToolError that follows it reports the same.
  if (call.failures.some((known) => known.refused && known.code === code && known.attempt === attempt && known.atMs === atMs)) return;
  call.failures.push({
    seq: event.seq,
    atMs,
    toolName: text(event.tool_id, call.currentTool),
    attempt,
    code,
    category: text(event.category),
    classification: text(event.classification),
    rule: text(event.rule),
    message: turn.message(event.error),
    status: timeOrNone(event.status),
    retryAfterMs: timeOrNone(event.retry_after_ms),
    ambiguous: event.ambiguous === true,
    refused: attempt === 0,
    timedOut: segment?.result === 'timeout',
    circuit: text(event.circuit_breaker_state),
    heldMs: undefined,
    durationMs: attempt === 0 ? undefined : timeOrNone(event.duration_ms),
  });
}

export function lateResult(turn: DraftTurn, event: LateResult & Stamp): void {
  const call = callOf(turn, event);
  const result = event.result === 'late_success' ? 'late_success' : 'late_failure';
  const stopped = result === 'late_failure' && call.late === undefined && stoppedPromptly(call, event);
  addLateWork(call, event, result, stopped);
  if (!stopped) call.late = result;
}

export function attemptAbandoned(turn: DraftTurn, event: AttemptAbandoned & Stamp): void {
  const call = callOf(turn, event);
  addLateWork(call, event, 'abandoned', false);
  call.late = 'abandoned';
}

interface AttemptEvent {
  readonly tool_id: string;
  readonly attempt: number;
  readonly elapsed_ms: number;
}

function attemptOf(call: DraftCall, { tool_id, attempt }: AttemptEvent): DraftSegment | undefined {
  const matches = (segment: DraftSegment): boolean =>
    segment.kind === 'attempt' && segment.attempt === attempt && segment.toolName === tool_id;
  return call.segments.findLast((segment) => matches(segment) && segment.endMs === undefined) ?? call.segments.findLast(matches);
}

/** Ends the segment of an attempt, unless it has ended before, and returns it. */
function endAttempt(call: DraftCall, event: AttemptEvent, result: SegmentResult): DraftSegment | undefined {
  const segment = attemptOf(call, event);
  if (segment === undefined || segment.endMs !== undefined) return segment;
  segment.endMs = Math.max(segment.startMs, time(event.elapsed_ms));
  segment.result = result;
  return segment;
}

/** A tool that respects its abort signal ends within this time. */
const PROMPT_MS = 1_000;

function stoppedPromptly(call: DraftCall, event: AttemptEvent): boolean {
  const attempt = attemptOf(call, event);
  return attempt?.endMs !== undefined && time(event.elapsed_ms) - attempt.endMs <= PROMPT_MS;
}

/** Adds a segment from the end of the attempt to the end of its work. */
function addLateWork(call: DraftCall, event: AttemptEvent, result: SegmentResult, stopped: boolean): void {
  const endMs = time(event.elapsed_ms);
  const attempt = attemptOf(call, event);
  if (attempt?.endMs === undefined || attempt.endMs >= endMs) return;
  const { toolName, alternative } = attempt;
  call.segments.push({ ...newSegment('late', attempt.endMs, { toolName, alternative, attempt: event.attempt, result, stopped }), endMs });
}
