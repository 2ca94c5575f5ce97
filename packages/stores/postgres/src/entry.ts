/**
 * Owns how one event becomes a row, and what it changes in the summary of its turn.
 */
import { createHash } from 'node:crypto';
import type { TraceEvent } from '@holdfast/core';
import { turnEndOf } from '@holdfast/core/trace';
import { eventColumns, toStoredText, type EventColumns } from '@holdfast/core/internal/store';

/** An event on its way into the database. All texts are in their stored form. */
export interface Entry extends EventColumns {
  readonly turnId: string;
  /** Identifies the run across processes, if the event begins a run with an execution id. */
  readonly executionKey: string | undefined;
  readonly seq: number;
  readonly type: string;
  readonly body: string;
  /** Of `body`. */
  readonly bytes: number;
  readonly planned: number;
  readonly completed: number;
  readonly end: { readonly outcome: string; readonly summary: string } | undefined;
}

const maxSeq = 2 ** 31 - 1;

/** `undefined` when the event is not JSON data, or its `seq` cannot be stored. */
export function entryOf(event: TraceEvent, now: number): Entry | undefined {
  try {
    const body = JSON.stringify(event) as string | undefined;
    return body === undefined ? undefined : rowOf(event, body, now);
  } catch {
    return undefined;
  }
}

function rowOf(event: TraceEvent, body: string, now: number): Entry | undefined {
  const { seq, turn_id: turnId } = event;
  if (!Number.isInteger(seq) || Math.abs(seq) > maxSeq || typeof turnId !== 'string') return undefined;
  const end = turnEndOf(event);
  const started = event.event_type === 'TurnStarted' ? event : undefined;
  return {
    turnId: toStoredText(turnId),
    executionKey: seq === 1 && typeof started?.execution_id === 'string' ? keyOf(turnId, started.execution_id) : undefined,
    seq,
    type: toStoredText(event.event_type),
    ...eventColumns(event, now),
    body,
    bytes: Buffer.byteLength(body),
    planned: started?.calls.length ?? 0,
    completed: event.event_type === 'CallCompleted' ? 1 : 0,
    end: end === undefined ? undefined : { outcome: end.outcome, summary: toStoredText(end.summary) },
  };
}

/** A short key for any number of long texts: an index has a size limit. */
export function keyOf(...texts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(texts)).digest('base64url');
}
