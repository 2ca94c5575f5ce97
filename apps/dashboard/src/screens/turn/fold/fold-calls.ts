/** Folds what happens to a call around its attempts: it begins, waits, is refused, decided about, answered. */
import type { TraceEvent } from '@holdfast/gateway/contract';
import { callOf, type DraftCall, type DraftTurn, endOpen, isWait, newSegment } from './draft.ts';
import { isRecord, said, text, texts, time, timeOrNone } from './read.ts';
import type { CallEnd, CallStatus } from './turn-view.ts';

type Of<Type extends TraceEvent['event_type']> = Extract<TraceEvent, { readonly event_type: Type }>;

export function callStarted(turn: DraftTurn, event: Of<'CallStarted'>): void {
  const call = callOf(turn, event);
  const atMs = time(event.elapsed_ms);
  if (call.end === undefined) call.status = 'running';
  call.startedMs ??= atMs;
  if (event.arguments !== undefined) call.input = event.arguments;
  addWaitsBefore(turn, call, atMs);
  call.segments.push(newSegment('prepare', atMs, { toolId: call.toolId, attempt: 1 }));
}

/** What the call waited for before it began: what it needs, then a place among the calls of the turn. */
function addWaitsBefore(turn: DraftTurn, call: DraftCall, atMs: number): void {
  if (turn.lone || call.segments.length > 0) return;
  const ready = readyAt(turn, call, atMs);
  if (ready > 0) call.segments.push({ ...newSegment('dependency', 0, { toolId: call.toolId }), endMs: ready });
  if (atMs > ready) call.segments.push({ ...newSegment('place', ready, { toolId: call.toolId }), endMs: atMs });
}

/** When the last of what it needs was answered; the begin of the turn for what needs nothing. */
function readyAt(turn: DraftTurn, call: DraftCall, atMs: number): number {
  const ends = call.dependsOn.map((needed) => {
    const other = turn.byId.get(needed);
    return other === undefined ? 0 : (other.endedMs ?? atMs);
  });
  return Math.min(atMs, Math.max(0, ...ends));
}

export function callRefused(turn: DraftTurn, event: Of<'CallRefused'>): void {
  const call = callOf(turn, event);
  const atMs = time(event.elapsed_ms);
  endOpen(call, atMs, isWait);
  const source = text(event.source);
  call.failures.push({
    seq: event.seq,
    atMs,
    toolId: text(event.tool_id, call.toolId),
    attempt: 0,
    code: text(event.code),
    category: '',
    classification: 'neutral',
    rule: source === '' ? '' : `refused:${source}`,
    text: `Not called: ${text(event.code)}`,
    status: undefined,
    retryAfterMs: timeOrNone(event.retry_after_ms),
    ambiguous: false,
    refused: true,
    circuit: text(event.circuit_breaker_state),
    durationMs: undefined,
  });
}

export function recoveryDecided(turn: DraftTurn, event: Of<'RecoveryDecided'>): void {
  if (!isRecord(event.inputs) || !isRecord(event.decision)) return;
  const call = callOf(turn, event);
  call.decisions.push({
    seq: event.seq,
    atMs: time(event.elapsed_ms),
    toolId: text(event.tool_id, call.toolId),
    attempt: time(event.attempt),
    inputs: event.inputs,
    decision: event.decision,
    decidedBy: text(event.decided_by, 'built_in'),
  });
}

export function retryScheduled(turn: DraftTurn, event: Of<'RetryScheduled'>): void {
  wait(turn, event, 'backoff', 'backing_off', time(event.delay_ms), time(event.attempt));
}

export function admissionWaiting(turn: DraftTurn, event: Of<'AdmissionWaiting'>): void {
  const attempt = 1 + callOf(turn, event).segments.filter(({ kind }) => kind === 'attempt').length;
  wait(turn, event, 'queue', 'queued', timeOrNone(event.delay_ms), attempt, text(event.wait));
}

function wait(
  turn: DraftTurn,
  event: Of<'RetryScheduled'> | Of<'AdmissionWaiting'>,
  kind: 'backoff' | 'queue',
  status: CallStatus,
  delayMs: number | undefined,
  attempt: number,
  what = '',
): void {
  const call = callOf(turn, event);
  if (call.end !== undefined) return;
  const atMs = time(event.elapsed_ms);
  endOpen(call, atMs, isWait);
  call.status = status;
  call.startedMs ??= atMs;
  const plannedEndMs = delayMs === undefined ? undefined : atMs + delayMs;
  call.segments.push(newSegment(kind, atMs, { toolId: text(event.tool_id, call.toolId), attempt, plannedEndMs, wait: what }));
}

export function alternativeUsed(turn: DraftTurn, event: Of<'AlternativeUsed'>): void {
  const call = callOf(turn, event);
  const alternative = text(event.alternative);
  if (!call.alternatives.includes(alternative)) call.alternatives.push(alternative);
}

export function defaultUsed(turn: DraftTurn, event: Of<'DefaultUsed'>): void {
  callOf(turn, event).defaults.push(text(event.dependency));
}

export function toolSkipped(turn: DraftTurn, event: Of<'ToolSkipped'>): void {
  const call = callOf(turn, event);
  const atMs = time(event.elapsed_ms);
  call.status = 'skipped';
  call.endedMs ??= atMs;
  call.skip = { optional: event.optional === true, causedBy: texts(event.caused_by), text: said(event.message) };
  addWaitsBefore(turn, call, atMs);
}

export function escalated(turn: DraftTurn, event: Of<'Escalated'>): void {
  turn.escalated = true;
  callOf(turn, event).escalation = said(event.user_message) || said(event.message, text(event.code));
}

export function callCompleted(turn: DraftTurn, event: Of<'CallCompleted'>): void {
  const call = callOf(turn, event);
  const atMs = time(event.elapsed_ms);
  const status = resultOf(event.status);
  const code = text(event.code);
  for (const segment of call.segments) {
    if (segment.endMs !== undefined) continue;
    segment.endMs = Math.max(segment.startMs, atMs);
    if (segment.kind === 'attempt') segment.result = code === 'CANCELLED' || status === 'success' ? 'cancelled' : status;
  }
  if (call.startedMs === undefined) addWaitsBefore(turn, call, atMs);
  call.endedMs ??= atMs;
  call.end = {
    status,
    servedBy: text(event.served_by, call.toolId),
    attempts: time(event.attempts),
    executionMs: time(event.execution_time_ms),
    code,
    error: said(event.error),
    stoppedBy: text(event.stopped_by),
    fallbackUsed: event.fallback_used === true,
    partial: event.partial === true,
  };
  call.status = finalStatus(call, event, code);
  call.progress = '';
}

const resultOf = (status: unknown): CallEnd['status'] => (status === 'success' || status === 'timeout' ? status : 'error');

function finalStatus(call: DraftCall, event: Of<'CallCompleted'>, code: string): CallStatus {
  if (event.skipped === true || call.skip !== undefined) return 'skipped';
  const status = resultOf(event.status);
  const ended = code === 'CANCELLED' || code === 'TURN_DEADLINE';
  if (status === 'success' || !ended) return status;
  if (time(event.attempts) === 0) return 'not_run';
  return code === 'CANCELLED' ? 'cancelled' : status;
}
