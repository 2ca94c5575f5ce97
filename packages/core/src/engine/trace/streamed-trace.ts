/** Owns a trace that is never read as a whole, as for a single call or a batch: events are stamped and passed on, and only subscribers keep them. */
import type { TraceEvent, TraceEventBody, TraceEventType } from './events.ts';
import type { Trace } from './turn-trace.ts';
import { stamp } from './turn-trace.ts';

/** What these traces share within a service. */
export interface StreamedTraceOptions {
  /** Converts milliseconds since 1970 to ISO 8601. */
  readonly timestamp: (epochMs: number) => string;
  /** Receives every event that has a subscriber, in order. */
  readonly sink: (event: TraceEvent) => void;
  /** Whether events of that type have a subscriber now: without one, an event only gets a number. */
  readonly hasSubscriber: (type: TraceEventType) => boolean;
}

/** Trace that is never read as a whole, as for a single call: stamps events and passes them on, but keeps none. */
export class StreamedTrace implements Trace {
  readonly #options: StreamedTraceOptions;
  readonly #turnId: string;
  readonly #startedAt: number;
  readonly #startedAtEpochMs: number;
  #seq = 0;

  constructor(options: StreamedTraceOptions, turnId: string, startedAt: number, startedAtEpochMs: number) {
    this.#options = options;
    this.#turnId = turnId;
    this.#startedAt = startedAt;
    this.#startedAtEpochMs = startedAtEpochMs;
  }

  /** Stamps an event in place and passes it to the sink, if its type has a subscriber. `now` is monotonic milliseconds. */
  append(body: TraceEventBody, now: number): void {
    if (this.skip(body.event_type)) return;
    this.#seq += 1;
    const elapsedMs = now - this.#startedAt;
    const event = stamp(body, this.#turnId, this.#seq, elapsedMs, this.#options.timestamp(this.#startedAtEpochMs + elapsedMs));
    this.#options.sink(event);
  }

  /** Counts an event of a type that has no subscriber, which then need not be made. Returns whether it was counted. */
  skip(type: TraceEventType): boolean {
    const isUnread = !this.#options.hasSubscriber(type);
    if (isUnread) this.#seq += 1;
    return isUnread;
  }
}
