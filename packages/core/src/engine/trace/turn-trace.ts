/**
 * Owns one turn's record: append-only, stamped, in order. Does not own what is computed from it (metrics, memory, stores are folds over it).
 *
 * Invariants
 * 1. `seq` is 1, 2, 3 … without gaps; an event is never changed after it was appended.
 * 2. A reader of the trace cannot affect the call: sinks are called through the service's guard.
 */
import type { Mutable } from '../plain/mutable.ts';
import type { Stamp, TraceEvent, TraceEventBody, TraceEventType } from './events.ts';

/** Where events are appended. */
export interface Trace {
  /** Stamps an event and appends it. The body is changed in place, so make one for each append. `now` is monotonic milliseconds. */
  append(body: TraceEventBody, now: number): void;
  /** Counts an event of a type that has no reader, which then need not be made. Returns whether it was counted. */
  skip?(type: TraceEventType): boolean;
}

/** Converts epoch milliseconds to ISO 8601; caches the last, since many events share a millisecond. */
export function createTimestamps(): (epochMs: number) => string {
  let last = Number.NaN;
  let text = '';
  return (exactMs) => {
    const epochMs = Math.floor(exactMs);
    if (epochMs !== last) {
      last = epochMs;
      text = new Date(epochMs).toISOString();
    }
    return text;
  };
}

/** What a `TurnTrace` stamps its events with, and where it sends them. */
export interface TurnTraceOptions {
  /** Id that every event is stamped with. */
  readonly turnId: string;
  /** Monotonic time at which the turn began. */
  readonly startedAt: number;
  /** Converts milliseconds since the turn began to ISO 8601. */
  readonly timestamp: (elapsedMs: number) => string;
  /** Receives every event once, in order. */
  readonly sink?: (event: TraceEvent) => void;
}

/** The Turn Trace of one turn (docs/specification.md#s0-8-2). */
export class TurnTrace implements Trace {
  /** Id that every event is stamped with. */
  readonly turnId: string;
  readonly #startedAt: number;
  readonly #timestamp: (elapsedMs: number) => string;
  readonly #sink: ((event: TraceEvent) => void) | undefined;
  readonly #events: TraceEvent[] = [];

  constructor({ turnId, startedAt, timestamp, sink }: TurnTraceOptions) {
    this.turnId = turnId;
    this.#startedAt = startedAt;
    this.#timestamp = timestamp;
    this.#sink = sink;
  }

  /** All events so far, oldest first. */
  get events(): readonly TraceEvent[] {
    return this.#events;
  }

  /** Stamps an event in place, appends it and returns it. `now` is monotonic milliseconds. */
  append(body: TraceEventBody, now: number): TraceEvent {
    const elapsedMs = now - this.#startedAt;
    const event = stamp(body, this.turnId, this.#events.length + 1, elapsedMs, this.#timestamp(elapsedMs));
    this.#events.push(event);
    this.#sink?.(event);
    return event;
  }
}

/** The body was built for this one append: stamping it in place saves a copy per event. */
export function stamp(body: TraceEventBody, turnId: string, seq: number, elapsedMs: number, timestamp: string): TraceEvent {
  const event = body as TraceEventBody & Mutable<Stamp>;
  event.turn_id = turnId;
  event.seq = seq;
  event.timestamp = timestamp;
  event.elapsed_ms = elapsedMs;
  return event;
}
