/** Owns what is kept of Holdfast's traces in a run: some counts always, events only for those who hear them. */
import type { Trace, TraceEvent, TraceEventBody, TraceEventType } from '@holdfast/core';
import { StreamedTrace } from '@holdfast/core/virtual';
import type { StreamedTraceOptions } from '@holdfast/core/virtual';
import type { LabRun } from '../run/contender.ts';

export interface EventHearer {
  /** `undefined`: all. */
  readonly types: ReadonlySet<TraceEventType> | undefined;
  readonly hear: (event: TraceEvent) => void;
  /** It reads timestamps: writing them costs more than all the rest of an event. */
  readonly readsTime: boolean;
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
  const count = ({ event_type }: TraceEventBody): void => {
    const name = counted.get(event_type);
    if (name !== undefined) counts[name] = (counts[name] ?? 0) + 1;
  };
  const streamed = streamedOptions(hearers);
  const counting: Trace = { append: count };
  return {
    counts: () => counts,
    open(turnId) {
      if (!streamed) return counting;
      const trace = new StreamedTrace(streamed, turnId, run.now(), run.startedAtEpochMs + run.now());
      return {
        append(body, now) {
          count(body);
          trace.append(body, now);
        },
      };
    },
  };
}

function streamedOptions(hearers: readonly EventHearer[]): StreamedTraceOptions | undefined {
  if (hearers.length === 0) return undefined;
  const isHeardBy = ({ types }: EventHearer, type: TraceEventType): boolean => types === undefined || types.has(type);
  return {
    timestamp: hearers.some(({ readsTime }) => readsTime) ? (epochMs) => new Date(epochMs).toISOString() : () => '',
    isHeard: (type) => hearers.some((hearer) => isHeardBy(hearer, type)),
    sink: (event) => {
      for (const hearer of hearers) if (isHeardBy(hearer, event.event_type)) hearer.hear(event);
    },
  };
}
