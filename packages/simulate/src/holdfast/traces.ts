/** Owns what is kept of Holdfast's traces in a run: some counts always, events only for those who hear them. */
import type { TraceEvent } from '@holdfast/core';
import type { TraceEventType } from '@holdfast/core/trace';
import type { Trace, TraceEventBody } from '@holdfast/core/trace';
import { StreamedTrace } from '@holdfast/core/internal';
import type { StreamedTraceOptions } from '@holdfast/core/internal';
import type { LabRun } from '../run/contender.ts';

export interface EventHearer {
  /** `undefined`: all. */
  readonly types: ReadonlySet<TraceEventType> | undefined;
  readonly hear: (event: TraceEvent) => void;
  /** It reads timestamps: writing them costs more than all the rest of an event. */
  readonly readsTime: boolean;
  /** In a turn without an event of this type nothing tells it anything. */
  readonly from?: TraceEventType;
}

export interface Traces {
  /** The trace of a turn that begins now. */
  open(turnId: string): Trace;
  readonly counts: () => Readonly<Record<string, number>>;
}

/** Event types that are counted, and what they are called in the notes. */
const counted: ReadonlyMap<TraceEventType, string> = new Map([
  ['CircuitBreakerOpened', 'circuit_openings'],
  ['CircuitBreakerClosed', 'circuit_closings'],
  ['CallRefused', 'refusals'],
  ['AlternativeUsed', 'alternatives_used'],
]);

export function createTraces(run: LabRun, hearers: readonly EventHearer[]): Traces {
  const counts: Record<string, number> = {};
  const streamed = hearers.length === 0 ? undefined : streamedOptions(hearers);
  const from = hearers.length === 1 ? hearers[0]?.from : undefined;
  return {
    counts: () => counts,
    open(turnId) {
      const stream = (): Trace | undefined => streamed && new StreamedTrace(streamed, turnId, run.now(), run.startedAtEpochMs + run.now());
      return new CountingTrace(counts, stream, from);
    },
  };
}

class CountingTrace implements Trace {
  readonly #counts: Record<string, number>;
  readonly #stream: () => Trace | undefined;
  readonly #from: TraceEventType | undefined;
  #trace: Trace | undefined;

  constructor(counts: Record<string, number>, stream: () => Trace | undefined, from: TraceEventType | undefined) {
    this.#counts = counts;
    this.#stream = stream;
    this.#from = from;
    this.#trace = from === undefined ? stream() : undefined;
  }

  append(body: TraceEventBody, now: number): void {
    const name = counted.get(body.event_type);
    if (name !== undefined) this.#counts[name] = (this.#counts[name] ?? 0) + 1;
    if (body.event_type === this.#from) this.#trace ??= this.#stream();
    this.#trace?.append(body, now);
  }
}

function streamedOptions(hearers: readonly EventHearer[]): StreamedTraceOptions {
  const known = new Map<TraceEventType, readonly EventHearer[]>();
  const hearersOf = (type: TraceEventType): readonly EventHearer[] => {
    const before = known.get(type);
    if (before) return before;
    const found = hearers.filter(({ types }) => types === undefined || types.has(type));
    known.set(type, found);
    return found;
  };
  return {
    timestamp: hearers.some(({ readsTime }) => readsTime) ? (epochMs) => new Date(epochMs).toISOString() : () => '',
    hasSubscriber: (type) => hearersOf(type).length > 0,
    sink: (event) => {
      for (const { hear } of hearersOf(event.event_type)) hear(event);
    },
  };
}
