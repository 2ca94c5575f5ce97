/** Owns what an exemplar says about where its observation came from. */
import type { TraceEvent } from '../trace/events.ts';
import type { Exemplar, Labels } from './families.ts';

/** What an exemplar leads to, beside its turn and call. */
export interface TraceContext {
  readonly trace_id?: string;
  readonly span_id?: string;
}

/** Kept for the latest observation of each bucket; the event itself may be large. */
export interface Origin {
  readonly turnId: string;
  readonly callId: string | undefined;
  readonly timestamp: string;
  readonly context: TraceContext | undefined;
}

/** OpenMetrics takes no more, names and values of all labels together. */
const mostCharacters = 128;

/** A host's function that throws costs the exemplar its trace and nothing more. */
export function createOrigin(traceContext: ((event: TraceEvent) => TraceContext | undefined) | undefined): (event: TraceEvent) => Origin {
  const contextOf = (event: TraceEvent): TraceContext | undefined => {
    try {
      return traceContext?.(event);
    } catch {
      return undefined;
    }
  };
  return (event) => ({
    turnId: event.turn_id,
    callId: (event as { readonly call_id?: string }).call_id,
    timestamp: event.timestamp,
    context: traceContext && contextOf(event),
  });
}

export function exemplarOf({ turnId, callId, timestamp, context }: Origin, value: number): Exemplar {
  const labels = fitting([
    ['trace_id', context?.trace_id],
    ['span_id', context?.span_id],
    ['turn_id', turnId],
    ['call_id', callId],
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
