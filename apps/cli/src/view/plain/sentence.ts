/** Describes an event as a sentence without its subject. */
import type { TraceEvent } from '@holdfast/core';
import { agentEventTypes, type AgentEventBody } from '@holdfast/core/trace';
import type {
  RecoveryDecided,
  ToolError,
  ToolProgress,
  TurnCompleted,
  TurnDeadlineReached,
  TurnStarted,
  TurnTakenOver,
} from '@holdfast/core/trace';
import { list, text, texts, time, timeOrNone, word } from '@holdfast/core/internal';
import { pluralize, formatDuration, formatLimit } from '../text/format.ts';
import { describeAgentEvent } from './agent-sentence.ts';

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

const isOfAgent: ReadonlySet<string> = new Set(agentEventTypes);
const isAgentEvent = (event: TraceEvent): event is Extract<TraceEvent, AgentEventBody> => isOfAgent.has(event.event_type);

export function describeEvent(event: TraceEvent): string | undefined {
  if (isAgentEvent(event)) return describeAgentEvent(event);
  switch (event.event_type) {
    case 'TurnStarted':
      return describeTurnStart(event);
    case 'CallStarted':
      return 'started';
    case 'AttemptStarted':
    case 'ToolProgress':
    case 'ToolSucceeded':
    case 'ToolTimeout':
    case 'ToolError':
    case 'LateResult':
    case 'AttemptAbandoned':
      return describeAttempt(event);
    case 'CallRefused':
      return joinParts([`not called: ${text(event.code, 'refused')}`, describeHold(event.held_ms), describeDelay(event.retry_after_ms)]);
    case 'RecoveryDecided':
      return describeDecision(event);
    case 'RetryScheduled':
      return `attempt ${word(event.attempt)} in ${formatDuration(event.delay_ms)}`;
    case 'AdmissionWaiting':
      return joinParts([describeHold(event.held_ms) ?? describeWait(event.wait), describeDelay(event.delay_ms)]);
    case 'CircuitBreakerOpened':
      return joinParts([`circuit${ofPartition(event)} opened (${text(event.reason, 'failures')})`, describeProbe(event.open_for_ms)]);
    case 'CircuitBreakerHalfOpened':
      return `circuit${ofPartition(event)} half open, probing`;
    case 'CircuitBreakerClosed':
      return `circuit${ofPartition(event)} closed`;
    case 'AlternativeUsed':
      return `using alternative ${text(event.alternative)}`;
    case 'DefaultUsed':
      return event.dependency === undefined ? 'fallback value used' : `uses the default for ${text(event.dependency)}`;
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
      return describeDeadline(event);
    case 'TurnTakenOver':
      return describeTakeover(event);
    case 'TurnCancelled':
      return text(event.message) || 'turn cancelled';
    case 'TurnCompleted':
      return describeTurnEnd(event);
    case 'ComponentFailed':
      return `${text(event.component)}${event.name === undefined ? '' : ` ${text(event.name)}`} failed and was ignored: ${text(event.error)}`;
    default:
      return text((event as { readonly event_type?: unknown }).event_type) || undefined;
  }
}

function describeDeadline({ timeout_ms, running, waiting }: TurnDeadlineReached): string {
  return joinParts([`deadline of ${formatLimit(timeout_ms)} reached`, listCalls('running', running), listCalls('waiting', waiting)]);
}

function describeTakeover({ gap_ms, repeated }: TurnTakenOver): string {
  return joinParts([`taken over by another process, nothing recorded for ${formatDuration(gap_ms)}`, listCalls('run again', repeated)]);
}

/** Describes an event of one attempt. */
function describeAttempt(event: AttemptEvent): string | undefined {
  switch (event.event_type) {
    case 'AttemptStarted':
      return joinParts([
        `attempt ${word(event.attempt)}`,
        event.hedge === true && 'hedge',
        event.probe === true && 'probe of a recovering service',
        describeTimeout(event.timeout_ms),
      ]);
    case 'ToolProgress':
      return describeProgress(event);
    case 'ToolSucceeded':
      return joinParts([
        `succeeded after ${formatDuration(event.duration_ms)}`,
        time(event.attempt) > 1 && `attempt ${word(event.attempt)}`,
      ]);
    case 'ToolTimeout':
      return `attempt ${word(event.attempt)} timed out ${event.idle === true ? 'without progress for' : 'after'} ${formatLimit(event.timeout_ms)}`;
    case 'ToolError':
      return describeToolError(event);
    case 'LateResult':
      return event.result === 'late_success'
        ? `finished late after ${formatDuration(event.duration_ms)}, result not used`
        : `stopped in the background after ${formatDuration(event.duration_ms)}`;
    case 'AttemptAbandoned':
      return `attempt ${word(event.attempt)} abandoned after ${formatDuration(event.duration_ms)}, may still be running`;
  }
}

const joinParts = (parts: readonly (string | false | undefined)[]): string =>
  parts.filter((part) => part !== false && part !== undefined && part !== '').join(', ');

const describeTimeout = (timeoutMs: unknown): string | undefined =>
  timeOrNone(timeoutMs) === undefined ? undefined : `timeout ${formatLimit(timeOrNone(timeoutMs))}`;
const describeDelay = (delayMs: unknown): string | undefined =>
  timeOrNone(delayMs) === undefined ? undefined : `retry in ${formatDuration(timeOrNone(delayMs))}`;
const describeProbe = (openForMs: unknown): string | undefined =>
  timeOrNone(openForMs) === undefined ? undefined : `probe in ${formatLimit(timeOrNone(openForMs))}`;
const listCalls = (label: string, calls: readonly string[]): string | undefined =>
  texts(calls).length === 0 ? undefined : `${label}: ${texts(calls).join(' ')}`;

function describeTurnStart(event: TurnStarted & { readonly turn_id: string; readonly timestamp: string }): string {
  return joinParts([
    `turn ${text(event.turn_id)} started ${text(event.timestamp).slice(0, 10)}: ${pluralize(list(event.calls).length, 'call')}`,
    timeOrNone(event.timeout_ms) === undefined ? 'no deadline' : `deadline ${formatLimit(timeOrNone(event.timeout_ms))}`,
    `profile ${text(event.profile)}`,
    `seed ${text(event.seed)}`,
  ]);
}

function describeProgress(event: ToolProgress): string | undefined {
  const done = timeOrNone(event.progress);
  const total = timeOrNone(event.total);
  const share = done === undefined ? '' : total === undefined ? String(done) : `${done}/${total}`;
  const parts = [share, text(event.message), event.partial === true ? 'partial output' : ''].filter((part) => part !== '');
  return parts.length === 0 ? undefined : `progress ${parts.join(', ')}`;
}

function describeToolError(event: ToolError): string {
  const rule = text(event.rule);
  const kind = joinParts([
    text(event.classification),
    text(event.category),
    rule !== '' && `rule ${rule}`,
    event.ambiguous === true && 'side effect may have happened',
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
    `${formatDuration(event.execution_time_ms)}`,
    attempts,
    served,
    event.partial === true && 'partial',
    text(event.error),
  ]);
}

function describeTurnEnd(event: TurnCompleted): string {
  return `turn ${text(event.outcome, 'completed')} in ${formatDuration(event.duration_ms)}. ${text(event.summary)}`;
}

function describeWait(wait: unknown): string {
  if (wait === 'recovery') return 'waiting for the service to recover';
  return wait === 'concurrency' ? 'waiting for a free slot' : 'waiting for the rate limit';
}

/** The gate holds calls because a server asked for it. */
const describeHold = (heldMs: unknown): string | undefined =>
  timeOrNone(heldMs) === undefined ? undefined : "held by the server's Retry-After";

const ofPartition = ({ partition }: { readonly partition?: string }): string => (partition === undefined ? '' : ` of ${text(partition)}`);
