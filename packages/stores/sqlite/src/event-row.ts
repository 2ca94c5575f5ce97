/**
 * Owns how one event becomes a row.
 */
import type { TraceEvent } from '@holdfast/core';
import { toStoredText } from '@holdfast/core/internal/store';

/** An event on its way into the file, and its JSON text. */
export interface Entry {
  readonly event: TraceEvent;
  readonly body: string;
}

export interface EventRow {
  readonly seq: number;
  readonly type: string;
  readonly toolId: string | null;
  readonly callId: string | null;
  readonly atMs: number;
  readonly body: string;
}

/** `undefined` when the event is not JSON data. */
export function entryOf(event: TraceEvent): Entry | undefined {
  try {
    const body = JSON.stringify(event) as string | undefined;
    return body === undefined ? undefined : { event, body };
  } catch {
    return undefined;
  }
}

/** Throws when the event has no number. */
export function eventRow({ event, body }: Entry, now: number): EventRow {
  const { tool_id: toolId, call_id: callId } = event as { readonly tool_id?: unknown; readonly call_id?: unknown };
  const atMs = Date.parse(event.timestamp);
  if (!Number.isSafeInteger(event.seq)) throw new TypeError(`seq is ${String(event.seq)}, not a whole number`);
  return {
    seq: event.seq,
    type: event.event_type,
    toolId: typeof toolId === 'string' ? toStoredText(toolId) : null,
    callId: typeof callId === 'string' ? toStoredText(callId) : null,
    atMs: Number.isFinite(atMs) ? atMs : now,
    body,
  };
}
