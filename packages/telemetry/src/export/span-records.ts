/** Owns the spans of a recorded turn as plain records: the same fold as OpenTelemetry's, into a list. */
import type { TraceEvent } from '@holdfast/core';
import { attribute } from '../semconv.ts';
import type { SpanOptions } from '../spans/options.ts';
import { SpanFold } from '../spans/span-fold.ts';
import type { Attributes, SpanBeginning, SpanFailure, SpanHandle, SpanRole, SpanSink } from '../spans/span-sink.ts';

export interface SpanRecord extends SpanHandle {
  /** 0, 1, 2 … in the order in which the spans begin. */
  readonly index: number;
  readonly role: SpanRole;
  readonly parent: SpanRecord | undefined;
  name: string;
  /** Milliseconds since the turn began. */
  readonly startMs: number;
  endMs: number;
  attributes: Attributes;
  readonly events: { readonly name: string; readonly atMs: number; readonly attributes: Attributes }[];
  readonly links: SpanBeginning<SpanRecord>['links'];
  failure: SpanFailure | undefined;
}

/** The spans of one turn's events. Open spans end with the last event. */
export function spanRecords(events: readonly TraceEvent[], options: SpanOptions): readonly SpanRecord[] {
  const sink = new RecordSink();
  const fold = new SpanFold(sink, options);
  for (const event of events) fold.observe(event);
  fold.abandon();
  return sink.records;
}

class RecordSink implements SpanSink<SpanRecord> {
  readonly idle = false;
  readonly records: SpanRecord[] = [];
  /** The turn has no parent. */
  readonly #root: SpanRecord = record(-1, undefined, { role: 'turn', name: '', startMs: 0, attributes: {}, links: [] });

  ambient(): SpanRecord {
    return this.#root;
  }

  hasSpan(): boolean {
    return false;
  }

  adopt(): undefined {
    return undefined;
  }

  begin(span: SpanBeginning<SpanRecord>, parent: SpanRecord): SpanRecord {
    const made = record(this.records.length, parent === this.#root ? undefined : parent, span);
    this.records.push(made);
    return made;
  }

  /** Events after the end of a turn are on its last root. */
  event(span: SpanRecord, name: string, atMs: number, attributes: Attributes): void {
    const at = span === this.#root ? this.records.find(({ parent }) => parent === undefined) : span;
    at?.events.push({ name, atMs, attributes });
  }

  set(span: SpanRecord, attributes: Attributes): void {
    span.attributes = { ...span.attributes, ...attributes };
  }

  rename(span: SpanRecord, name: string): void {
    span.name = name;
  }

  end(span: SpanRecord, atMs: number, failure: SpanFailure | undefined): void {
    span.endMs = Math.max(atMs, span.startMs);
    span.failure = failure;
    if (failure) this.set(span, { [attribute.errorType]: failure.errorType });
  }
}

function record(
  index: number,
  parent: SpanRecord | undefined,
  { role, name, startMs, attributes, links }: SpanBeginning<SpanRecord>,
): SpanRecord {
  const span = { index, role, parent, name, startMs, endMs: startMs, attributes, events: [], links, failure: undefined };
  return { ...span, recording: true, tracked: true };
}
