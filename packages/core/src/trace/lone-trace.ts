/** Owns the trace of a call that belongs to no turn: stamped like a turn's, kept by nobody but its readers. */
import type { TraceEvent, TraceEventBody } from './events.ts';
import type { Trace } from './turn-trace.ts';
import { stamp } from './turn-trace.ts';

/** What all lone calls of a service share. */
export interface LoneTraceOptions {
  /** ISO 8601 of a moment, in milliseconds since 1970. */
  readonly timestamp: (epochMs: number) => string;
  readonly sink: (event: TraceEvent) => void;
}

export class LoneTrace implements Trace {
  readonly #options: LoneTraceOptions;
  readonly #turnId: string;
  readonly #startedAt: number;
  readonly #startedAtEpochMs: number;
  #seq = 0;

  constructor(options: LoneTraceOptions, turnId: string, startedAt: number, startedAtEpochMs: number) {
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
