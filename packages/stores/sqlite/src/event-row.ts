/**
 * Owns how one event becomes a row.
 */
import type { TraceEvent } from '@holdfast/core';
import { eventColumns, type EventColumns } from '@holdfast/core/internal/store';

/** An event on its way into the file, and its JSON text. */
export interface Entry {
  readonly event: TraceEvent;
  readonly body: string;
}

export interface EventRow extends EventColumns {
  readonly seq: number;
  readonly type: string;
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
  if (!Number.isSafeInteger(event.seq)) throw new TypeError(`seq is ${String(event.seq)}, not a whole number`);
  return { seq: event.seq, type: event.event_type, ...eventColumns(event, now), body };
}
