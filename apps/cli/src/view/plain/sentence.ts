/** What an event says, as a sentence without its subject. */
import type { TraceEvent } from '@holdfast/core';
import type { RecoveryDecided, ToolError, ToolProgress, TurnCompleted, TurnStarted } from '@holdfast/core/trace';
import { list, text, texts, time, timeOrNone, word } from '@holdfast/core/internal';
import { count, duration, limit } from '../text/format.ts';

type AttemptEvent = Extract<
  TraceEvent,
  {
    readonly event_type:
      | 'AttemptStarted'
      | 'ToolProgress'
      | 'ToolSucceeded'
      | 'ToolTimeout'
      | 'ToolError'
      | 'LateResult'
      | 'AttemptAbandoned';
  }
>;

export function sentenceOf(event: TraceEvent): string | undefined {
  switch (event.event_type) {
    case 'TurnStarted':
      return turnStarted(event);
    case 'CallStarted':
      return 'started';
    case 'AttemptStarted':
    case 'ToolProgress':
    case 'ToolSucceeded':
    case 'ToolTimeout':
    case 'ToolError':
    case 'LateResult':
    case 'AttemptAbandoned':
      return attemptSentence(event);
    case 'CallRefused':
      return joinParts([`not called: ${text(event.code, 'refused')}`, describeDelay(event.retry_after_ms)]);
    case 'RecoveryDecided':
      return describeDecision(event);
    case 'RetryScheduled':
      return `attempt ${word(event.attempt)} in ${duration(event.delay_ms)}`;
    case 'AdmissionWaiting':
      return joinParts([describeWait(event.wait), describeDelay(event.delay_ms)]);
    case 'CircuitBreakerOpened':
      return joinParts([`circuit opened (${text(event.reason, 'failures')})`, probe(event.open_for_ms)]);
    case 'CircuitBreakerHalfOpened':
      return 'circuit half open, one probe may pass';
    case 'CircuitBreakerClosed':
      return 'circuit closed';
    case 'AlternativeUsed':
      return `alternative ${text(event.alternative)} takes over`;
    case 'DefaultUsed':
      return event.dependency === undefined ? 'answered with its fallback value' : `uses the default for ${text(event.dependency)}`;
    case 'ToolSkipped':
      return joinParts([
        text(event.message, 'skipped'),
        texts(event.caused_by).length > 0 && `because of ${texts(event.caused_by).join(' because of ')}`,
      ]);
    case 'Escalated':
      return `escalated: ${text(event.user_message) || text(event.message)}`;
    case 'CallCompleted':
      return describeCompletion(event);
    case 'TurnDeadlineReached':
      return joinParts([
        `deadline of ${limit(event.timeout_ms)} reached`,
        names('running', event.running),
        names('waiting', event.waiting),
      ]);
    case 'TurnCancelled':
      return text(event.message) || 'turn cancelled';
    case 'TurnCompleted':
      return turnCompleted(event);
    case 'ComponentFailed':
      return `${text(event.component)}${event.name === undefined ? '' : ` ${text(event.name)}`} failed and was passed over: ${text(event.error)}`;
    default:
      return text((event as { readonly event_type?: unknown }).event_type) || undefined;
  }
}

/** What an event says of one attempt. */
function attemptSentence(event: AttemptEvent): string | undefined {
  switch (event.event_type) {
    case 'AttemptStarted':
      return joinParts([
        `attempt ${word(event.attempt)}`,
        event.hedge === true && 'hedge',
        event.probe === true && 'probe of a recovering service',
        describeTimeout(event.timeout_ms),
      ]);
    case 'ToolProgress':
      return progress(event);
    case 'ToolSucceeded':
      return joinParts([`succeeded after ${duration(event.duration_ms)}`, time(event.attempt) > 1 && `attempt ${word(event.attempt)}`]);
    case 'ToolTimeout':
      return `attempt ${word(event.attempt)} timed out after ${limit(event.timeout_ms)}`;
    case 'ToolError':
      return toolError(event);
    case 'LateResult':
      return event.result === 'late_success'
        ? `finished late after ${duration(event.duration_ms)}, result not used`
        : `its work ended after ${duration(event.duration_ms)}`;
    case 'AttemptAbandoned':
      return `attempt ${word(event.attempt)} given up after ${duration(event.duration_ms)}, it may still run`;
  }
}

const joinParts = (parts: readonly (string | false | undefined)[]): string =>
  parts.filter((part) => part !== false && part !== undefined && part !== '').join(', ');

const describeTimeout = (timeoutMs: unknown): string | undefined =>
  timeOrNone(timeoutMs) === undefined ? undefined : `limit ${limit(timeOrNone(timeoutMs))}`;
const describeDelay = (delayMs: unknown): string | undefined =>
  timeOrNone(delayMs) === undefined ? undefined : `again in ${duration(timeOrNone(delayMs))}`;
const probe = (openForMs: unknown): string | undefined =>
  timeOrNone(openForMs) === undefined ? undefined : `probe in ${limit(timeOrNone(openForMs))}`;
const names = (label: string, calls: readonly string[]): string | undefined =>
  texts(calls).length === 0 ? undefined : `${label}: ${texts(calls).join(' ')}`;

function turnStarted(event: TurnStarted & { readonly turn_id: string; readonly timestamp: string }): string {
  return joinParts([
    `turn ${text(event.turn_id)} started ${text(event.timestamp).slice(0, 10)}: ${count(list(event.calls).length, 'call')}`,
    timeOrNone(event.timeout_ms) === undefined ? 'no deadline' : `deadline ${limit(timeOrNone(event.timeout_ms))}`,
    `profile ${text(event.profile)}`,
    `seed ${text(event.seed)}`,
  ]);
}

function progress(event: ToolProgress): string | undefined {
  const done = timeOrNone(event.progress);
  const total = timeOrNone(event.total);
  const share = done === undefined ? '' : total === undefined ? String(done) : `${done}/${total}`;
  const told = [share, text(event.message), event.partial === true ? 'partial output' : ''].filter((part) => part !== '');
  return told.length === 0 ? undefined : `progress ${told.join(', ')}`;
}

function toolError(event: ToolError): string {
  const rule = text(event.rule);
  const kind = joinParts([
    text(event.classification),
    text(event.category),
    rule !== '' && `rule ${rule}`,
    event.ambiguous === true && 'may have happened',
  ]);
  return `attempt ${word(event.attempt)} failed: ${text(event.error)} (${kind})`;
}

function describeDecision(event: RecoveryDecided): string {
  const action = text(event.decision?.action, 'decision');
  const target = text(event.decision?.alternative);
  const by = event.decided_by === 'handler' ? ' [handler]' : '';
  return `decided ${action}${target === '' ? '' : ` ${target}`}${by}: ${text(event.decision?.reason, text(event.message))}`;
}

function describeCompletion(event: Extract<TraceEvent, { event_type: 'CallCompleted' }>): string {
  const served = event.served_by !== event.tool_id && `served by ${text(event.served_by)}`;
  const attempts = time(event.attempts) > 1 && `${word(event.attempts)} attempts`;
  const status = event.skipped === true ? 'skipped' : `done: ${text(event.status)}`;
  return joinParts([
    status,
    `${duration(event.execution_time_ms)}`,
    attempts,
    served,
    event.partial === true && 'partial',
    text(event.error),
  ]);
}

function turnCompleted(event: TurnCompleted): string {
  return `turn ${text(event.outcome, 'completed')} in ${duration(event.duration_ms)}. ${text(event.summary)}`;
}

function describeWait(wait: unknown): string {
  if (wait === 'recovery') return 'waiting for the service to recover';
  return wait === 'concurrency' ? 'waiting for a free slot' : 'waiting as the service asked';
}
