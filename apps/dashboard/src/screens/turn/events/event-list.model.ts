/** The list of raw events: filters, descriptions, export. */
import type { TraceEvent } from '@holdfast/gateway/contract';
import { toVisibleText, text, time, word } from '../fields.ts';
import { formatDuration } from '../../../ui/format.ts';

export interface EventFilter {
  readonly search: string;
  /** Empty: every type. */
  readonly type: string;
  /** Empty: every call. */
  readonly callId: string;
}

export function filterEvents(events: readonly TraceEvent[], { search, type, callId }: EventFilter): readonly TraceEvent[] {
  const wanted = search.trim().toLowerCase();
  return events.filter(
    (event) =>
      (type === '' || event.event_type === type) &&
      (callId === '' || ('call_id' in event && event.call_id === callId)) &&
      (wanted === '' || JSON.stringify(event).toLowerCase().includes(wanted)),
  );
}

export const eventTypes = (events: readonly TraceEvent[]): readonly string[] =>
  [...new Set(events.map(({ event_type: type }) => text(type)))].toSorted();

/** A short description of what the other columns do not show. */
export function describeEvent(event: TraceEvent): string {
  switch (event.event_type) {
    case 'TurnStarted':
      return event.timeout_ms === null ? 'no deadline' : `deadline ${formatDuration(time(event.timeout_ms))}`;
    case 'AttemptStarted':
      return [`attempt ${word(event.attempt)}`, event.hedge === true ? 'hedged' : '', event.probe === true ? 'probe' : '']
        .filter(Boolean)
        .join(', ');
    case 'ToolSucceeded':
      return toVisibleText(event.message) || `after ${formatDuration(time(event.duration_ms))}`;
    case 'ToolError':
      return `${text(event.code)}: ${toVisibleText(event.error)}`;
    case 'CallRefused':
      return `${text(event.code)}${event.source === undefined ? '' : ` (${event.source})`}`;
    case 'RetryScheduled':
      return `attempt ${word(event.attempt)} in ${formatDuration(time(event.delay_ms))}`;
    case 'AdmissionWaiting':
      return [event.held_ms === undefined ? text(event.wait) : 'held by the server’s Retry-After', delayText(event.delay_ms)]
        .filter(Boolean)
        .join(', ');
    case 'AlternativeUsed':
      return text(event.alternative);
    case 'LateResult':
      return text(event.result).replace('_', ' ');
    case 'CallCompleted':
      return event.error === undefined ? text(event.status) : `${text(event.status)}: ${toVisibleText(event.error)}`;
    default:
      return 'message' in event ? toVisibleText(event.message) : '';
  }
}

const delayText = (delayMs: unknown): string => (delayMs === undefined ? '' : formatDuration(time(delayMs)));

/** NDJSON, as in an export. */
export const toNdjson = (events: readonly TraceEvent[]): string => events.map((event) => JSON.stringify(event)).join('\n');
