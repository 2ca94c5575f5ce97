/** Owns what an exemplar says about where its observation came from. */
import type { TraceEvent } from '../../engine/trace/events.ts';
import type { Exemplar, Labels } from './families.ts';

/** What an exemplar leads to, beside its turn and call. */
export interface TraceContext {
  /** Id of the trace in the tracing system of the host. */
  readonly trace_id?: string;
  /** Id of the span in the tracing system of the host. */
  readonly span_id?: string;
}

/** Kept for the latest observation of each bucket. */
export interface Origin {
  readonly turn_id: string;
  readonly call_id?: string;
  readonly timestamp: string;
  readonly context?: TraceContext | undefined;
}

/** OpenMetrics takes no more, names and values of all labels together. */
const mostCharacters = 128;

/** A host's function that throws costs the exemplar its trace and nothing more. */
export function createOrigin(traceContext: ((event: TraceEvent) => TraceContext | undefined) | undefined): (event: TraceEvent) => Origin {
  if (!traceContext) return (event) => (isSmall(event) ? event : leanOf(event));
  return (event) => {
    try {
      return { ...leanOf(event), context: traceContext(event) };
    } catch {
      return leanOf(event);
    }
  };
}

/** Every successful call ends with two such events. They never change, and are kept as they are; others may hold what a tool gave. */
const isSmall = (event: TraceEvent): boolean =>
  (event.event_type === 'ToolSucceeded' && event.output === undefined) ||
  (event.event_type === 'CallCompleted' && event.error === undefined);

function leanOf(event: TraceEvent): Origin {
  const { turn_id, timestamp, call_id } = event as Origin;
  return { turn_id, timestamp, ...(call_id === undefined ? {} : { call_id }) };
}

export function exemplarOf({ turn_id, call_id, timestamp, context }: Origin, value: number): Exemplar {
  const labels = fitting([
    ['trace_id', context?.trace_id],
    ['span_id', context?.span_id],
    ['turn_id', turn_id],
    ['call_id', call_id],
  ]);
  return { labels, value, timestamp };
}

/** The labels that there is room for, the most telling first. */
function fitting(candidates: readonly (readonly [string, unknown])[]): Labels {
  const labels: Record<string, string> = {};
  let left = mostCharacters;
  for (const [name, value] of candidates) {
    if (typeof value !== 'string' || value === '') continue;
    const length = name.length + value.length;
    if (length > left) continue;
    left -= length;
    labels[name] = value;
  }
  return labels;
}
