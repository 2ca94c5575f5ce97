/** Owns what is kept of Holdfast's traces in a run: some counts always, events only for subscribers. */
import type { TraceEvent } from '@holdfast/core';
import type { TraceEventType } from '@holdfast/core/trace';
import type { Trace, TraceEventBody } from '@holdfast/core/trace';
import { StreamedTrace } from '@holdfast/core/internal';
import type { StreamedTraceOptions } from '@holdfast/core/internal';
import type { LabRun } from '../run/contender.ts';

export interface EventSubscriber {
  /** Types of events it receives; `undefined`: all. */
  readonly types: ReadonlySet<TraceEventType> | undefined;
  readonly receive: (event: TraceEvent) => void;
  /** Whether it reads timestamps: formatting them costs more than the rest of an event. */
  readonly readsTime: boolean;
  /** It receives nothing of a turn before the first event of this type. */
  readonly from?: TraceEventType;
}

export interface Traces {
  /** The trace of a turn that begins now. */
  open(turnId: string): Trace;
  readonly counts: () => Readonly<Record<string, number>>;
}

/** Event types that are counted, and their names in the notes. */
const counted: ReadonlyMap<TraceEventType, string> = new Map([
  ['CircuitBreakerOpened', 'circuit_openings'],
  ['CircuitBreakerClosed', 'circuit_closings'],
  ['CallRefused', 'refusals'],
  ['AlternativeUsed', 'alternatives_used'],
]);

export function createTraces(run: LabRun, subscribers: readonly EventSubscriber[]): Traces {
  const counts: Record<string, number> = {};
  const streamed = subscribers.length === 0 ? undefined : streamedOptions(subscribers);
  const from = subscribers.length === 1 ? subscribers[0]?.from : undefined;
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

function streamedOptions(subscribers: readonly EventSubscriber[]): StreamedTraceOptions {
  const known = new Map<TraceEventType, readonly EventSubscriber[]>();
  const subscribersOf = (type: TraceEventType): readonly EventSubscriber[] => {
    const before = known.get(type);
    if (before) return before;
    const found = subscribers.filter(({ types }) => types === undefined || types.has(type));
    known.set(type, found);
    return found;
  };
  return {
    timestamp: subscribers.some(({ readsTime }) => readsTime) ? (epochMs) => new Date(epochMs).toISOString() : () => '',
    hasSubscriber: (type) => subscribersOf(type).length > 0,
    sink: (event) => {
      for (const { receive } of subscribersOf(event.event_type)) receive(event);
    },
  };
}
