/** Owns the origin of an observation, as shown in exemplars. */
import type { TraceEvent } from '../../engine/trace/events.ts';
import type { Exemplar, Labels } from './families.ts';

/** Ids of the host's tracing system for an exemplar. */
export interface TraceContext {
  /** Id of the trace in the tracing system of the host. */
  readonly trace_id?: string;
  /** Id of the span in the tracing system of the host. */
  readonly span_id?: string;
}

/** Origin of an observation, stored for the latest one of each bucket. */
export interface Origin {
  readonly turn_id: string;
  readonly call_id?: string;
  readonly timestamp: string;
  readonly context?: TraceContext | undefined;
}

/** Limit of OpenMetrics for the names and values of all labels together. */
const maxCharacters = 128;

/** When the host's `traceContext` throws, the exemplar only lacks its trace. */
export function createOrigin(traceContext: ((event: TraceEvent) => TraceContext | undefined) | undefined): (event: TraceEvent) => Origin {
  if (!traceContext) return (event) => (isSmall(event) ? event : originOf(event));
  return (event) => {
    try {
      return { ...originOf(event), context: traceContext(event) };
    } catch {
      return originOf(event);
    }
  };
}

/** Every successful call ends with two such events. They are immutable and small enough to keep as they are; others may contain output of a tool. */
const isSmall = (event: TraceEvent): boolean =>
  (event.event_type === 'ToolSucceeded' && event.output === undefined) ||
  (event.event_type === 'CallCompleted' && event.error === undefined);

function originOf(event: TraceEvent): Origin {
  const { turn_id, timestamp, call_id } = event as Origin;
  return { turn_id, timestamp, ...(call_id === undefined ? {} : { call_id }) };
}

export function exemplarOf({ turn_id, call_id, timestamp, context }: Origin, value: number): Exemplar {
  const labels = fittingLabels([
    ['trace_id', context?.trace_id],
    ['span_id', context?.span_id],
    ['turn_id', turn_id],
    ['call_id', call_id],
  ]);
  return { labels, value, timestamp };
}

/** The labels that fit, most useful first. */
function fittingLabels(candidates: readonly (readonly [string, unknown])[]): Labels {
  const labels: Record<string, string> = {};
  let left = maxCharacters;
  for (const [name, value] of candidates) {
    if (typeof value !== 'string' || value === '') continue;
    const length = name.length + value.length;
    if (length > left) continue;
    left -= length;
    labels[name] = value;
  }
  return labels;
}
