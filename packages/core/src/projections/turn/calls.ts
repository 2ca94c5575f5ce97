/** Folds the events of a call around its attempts: start, waits, refusals, decisions, end. */
import { readDecision, readInputs } from '../../engine/recover/decision-record.ts';
import type {
  AdmissionWaiting,
  AlternativeUsed,
  CallCompleted,
  CallRefused,
  CallStarted,
  RecoveryDecided,
  RetryScheduled,
} from '../../engine/trace/events/call.ts';
import type { DefaultUsed, Escalated, ToolSkipped } from '../../engine/trace/events/turn.ts';
import type { Stamp } from '../../engine/trace/events.ts';
import { callOf, endWaits, newSegment, type DraftCall, type DraftTurn } from './draft.ts';
import { isRecord, text, texts, time, timeOrNone } from './fields.ts';
import { singleCallStarted } from './turn.ts';
import type { CallEnd, CallStatus, Segment } from './turn-view.ts';

export function callStarted(turn: DraftTurn, event: CallStarted & Stamp): void {
  const call = callOf(turn, event);
  const atMs = time(event.elapsed_ms);
  if (call.end === undefined) call.status = 'running';
  call.startedMs ??= atMs;
  if (event.arguments !== undefined) call.input = event.arguments;
  if (turn.single && isRecord(event.settings)) singleCallStarted(turn, call, { ...event.settings });
  addWaitsBefore(turn, call, atMs);
  call.segments.push(newSegment('prepare', atMs, { toolName: call.toolName, attempt: 1 }));
}

/** Adds the waits before the call started: for its dependencies, then for a free place among the calls of the turn. */
function addWaitsBefore(turn: DraftTurn, call: DraftCall, atMs: number): void {
  if (turn.single || call.segments.length > 0) return;
  const { toolName } = call;
  const readyMs = readyAt(turn, call, atMs);
  if (readyMs > 0) call.segments.push(newSegment('dependency', 0, { toolName, endMs: readyMs }));
  if (atMs > readyMs) call.segments.push(newSegment('place', readyMs, { toolName, endMs: atMs }));
}

/** When the last of its dependencies ended; 0 without any. */
function readyAt(turn: DraftTurn, call: DraftCall, atMs: number): number {
  const ends = call.dependsOn.map((callId) => {
    const dependency = turn.byId.get(callId);
    return dependency === undefined ? 0 : (dependency.endedMs ?? atMs);
  });
  return Math.min(atMs, Math.max(0, ...ends));
}

export function callRefused(turn: DraftTurn, event: CallRefused & Stamp): void {
  const call = callOf(turn, event);
  const atMs = time(event.elapsed_ms);
  endWaits(call, atMs);
  const source = text(event.source);
  call.failures.push({
    seq: event.seq,
    atMs,
    toolName: text(event.tool_id, call.currentTool),
    attempt: 0,
    code: text(event.code),
    category: '',
    classification: 'neutral',
    rule: source === '' ? '' : `refused:${source}`,
    message: '',
    status: undefined,
    retryAfterMs: timeOrNone(event.retry_after_ms),
    ambiguous: false,
    refused: true,
    timedOut: false,
    circuit: text(event.circuit_breaker_state),
    heldMs: timeOrNone(event.held_ms),
    durationMs: undefined,
  });
}

export function recoveryDecided(turn: DraftTurn, event: RecoveryDecided & Stamp): void {
  if (!isRecord(event.inputs) || !isRecord(event.decision)) return;
  const call = callOf(turn, event);
  const inputs = readInputs(event.inputs);
  call.maxAttempts = timeOrNone(inputs.maxAttempts) ?? call.maxAttempts;
  call.decisions.push({
    seq: event.seq,
    atMs: time(event.elapsed_ms),
    toolName: text(event.tool_id, call.currentTool),
    attempt: time(event.attempt),
    inputs,
    decision: readDecision(event.decision),
    decidedBy: text(event.decided_by, 'built_in'),
  });
}

export function retryScheduled(turn: DraftTurn, event: RetryScheduled & Stamp): void {
  startWait(turn, event, 'backing_off', 'backoff', { attempt: time(event.attempt) }, time(event.delay_ms));
}

export function admissionWaiting(turn: DraftTurn, event: AdmissionWaiting & Stamp): void {
  const attempt = 1 + callOf(turn, event).segments.filter(({ kind }) => kind === 'attempt').length;
  startWait(
    turn,
    event,
    'queued',
    'queue',
    { attempt, wait: text(event.wait), heldMs: timeOrNone(event.held_ms) },
    timeOrNone(event.delay_ms),
  );
}

function startWait(
  turn: DraftTurn,
  event: (RetryScheduled | AdmissionWaiting) & Stamp,
  status: CallStatus,
  kind: 'backoff' | 'queue',
  more: Partial<Segment>,
  delayMs: number | undefined,
): void {
  const call = callOf(turn, event);
  if (call.end !== undefined) return;
  const atMs = time(event.elapsed_ms);
  endWaits(call, atMs);
  call.status = status;
  call.startedMs ??= atMs;
  const plannedEndMs = delayMs === undefined ? undefined : atMs + delayMs;
  call.segments.push(newSegment(kind, atMs, { ...more, toolName: text(event.tool_id, call.currentTool), plannedEndMs }));
}

export function alternativeUsed(turn: DraftTurn, event: AlternativeUsed & Stamp): void {
  const call = callOf(turn, event);
  const alternative = text(event.alternative);
  if (!call.alternatives.includes(alternative)) call.alternatives.push(alternative);
}

export function defaultUsed(turn: DraftTurn, event: DefaultUsed & Stamp): void {
  callOf(turn, event).defaults.push(text(event.dependency));
}

export function toolSkipped(turn: DraftTurn, event: ToolSkipped & Stamp): void {
  const call = callOf(turn, event);
  const atMs = time(event.elapsed_ms);
  call.status = 'skipped';
  call.endedMs ??= atMs;
  call.skip = { optional: event.optional === true, causedBy: texts(event.caused_by), message: turn.message(event.message) };
  addWaitsBefore(turn, call, atMs);
}

export function escalated(turn: DraftTurn, event: Escalated & Stamp): void {
  turn.escalated ||= event.critical === true;
  callOf(turn, event).escalation = turn.message(event.user_message) || turn.message(event.message, text(event.code));
}

export function callCompleted(turn: DraftTurn, event: CallCompleted & Stamp): void {
  const call = callOf(turn, event);
  const atMs = time(event.elapsed_ms);
  const status = statusOf(event.status);
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
    servedBy: text(event.served_by, call.currentTool),
    attempts: time(event.attempts, call.attempts),
    executionMs: time(event.execution_time_ms),
    code,
    error: turn.message(event.error),
    classification: text(event.classification),
    category: text(event.category),
    stoppedBy: text(event.stopped_by),
    fallbackUsed: event.fallback_used === true,
    partial: event.partial === true,
    skipped: event.skipped === true,
  };
  call.status = finalStatus(call, event, code);
  call.progress = undefined;
}

const statusOf = (status: unknown): CallEnd['status'] => (status === 'success' || status === 'timeout' ? status : 'error');

function finalStatus(call: DraftCall, event: CallCompleted, code: string): CallStatus {
  if (event.skipped === true || call.skip !== undefined) return 'skipped';
  const status = statusOf(event.status);
  const wasInterrupted = code === 'CANCELLED' || code === 'TURN_DEADLINE';
  if (status === 'success' || !wasInterrupted) return status;
  if (time(event.attempts, call.attempts) === 0) return 'not_run';
  return code === 'CANCELLED' ? 'cancelled' : status;
}
