/** Owns which fields of an event a store keeps in columns of their own, as they are stored. */
import type { TraceEvent } from '../../engine/trace/events.ts';
import { toStoredText } from './stored-text.ts';

/** The fields of an event that have columns of their own. */
export interface EventColumns {
  /** Name of the tool, as stored text; `null` for events without one. */
  readonly toolName: string | null;
  /** Id of the call, as stored text; `null` for events without one. */
  readonly callId: string | null;
  /** Milliseconds since 1970; `now` when the event has no valid time. */
  readonly atMs: number;
}

/** Returns the columns of an event. */
export function eventColumns(event: TraceEvent, now: number): EventColumns {
  const { tool_id: toolName, call_id: callId } = event as { readonly tool_id?: unknown; readonly call_id?: unknown };
  const atMs = Date.parse(event.timestamp);
  return {
    toolName: typeof toolName === 'string' ? toStoredText(toolName) : null,
    callId: typeof callId === 'string' ? toStoredText(callId) : null,
    atMs: Number.isFinite(atMs) ? atMs : now,
  };
}
