/** Owns a trace that is never read as a whole, as that of a single call or a batch: stamped like any, kept only by its subscribers. */
import type { TraceEvent, TraceEventBody, TraceEventType } from './events.ts';
import type { Trace } from './turn-trace.ts';
import { stamp } from './turn-trace.ts';

/** What all of them have in common within a service. */
export interface StreamedTraceOptions {
  /** ISO 8601 of a moment, in milliseconds since 1970. */
  readonly timestamp: (epochMs: number) => string;
  /** Receives every event that has a subscriber, in order. */
  readonly sink: (event: TraceEvent) => void;
  /** Whether events of that type have a subscriber now: others only get a number. */
  readonly hasSubscriber: (type: TraceEventType) => boolean;
}

/** Trace that is never read as a whole, as that of a single call: stamps events and hands them on, but keeps none. */
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

  /** Stamps an event in place and hands it to the sink, if its type has a subscriber. `now` is monotonic milliseconds. */
  append(body: TraceEventBody, now: number): void {
    this.#seq += 1;
    if (!this.#options.hasSubscriber(body.event_type)) return;
    const elapsedMs = now - this.#startedAt;
    const event = stamp(body, this.#turnId, this.#seq, elapsedMs, this.#options.timestamp(this.#startedAtEpochMs + elapsedMs));
    this.#options.sink(event);
  }
}
