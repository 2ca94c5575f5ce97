/** Owns a trace that nobody will ask for as a whole, as of a lone call or a batch: stamped like any, kept by its readers alone. */
import type { TraceEvent, TraceEventBody } from './events.ts';
import type { Trace } from './turn-trace.ts';
import { stamp } from './turn-trace.ts';

/** What all of them have in common within a service. */
export interface StreamedTraceOptions {
  /** ISO 8601 of a moment, in milliseconds since 1970. */
  readonly timestamp: (epochMs: number) => string;
  readonly sink: (event: TraceEvent) => void;
}

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

  append(body: TraceEventBody, now: number): TraceEvent {
    const elapsedMs = now - this.#startedAt;
    this.#seq += 1;
    const event = stamp(body, this.#turnId, this.#seq, elapsedMs, this.#options.timestamp(this.#startedAtEpochMs + elapsedMs));
    this.#options.sink(event);
    return event;
  }
}
