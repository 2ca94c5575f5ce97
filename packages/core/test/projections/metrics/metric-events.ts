/** Events written by hand, and metrics that observe them. */
import { createMetrics, type Metrics, type MetricsOptions } from '../../../src/projections/metrics/create-metrics.ts';
import type { Labels } from '../../../src/projections/metrics/families.ts';
import type { TraceEvent, TraceEventBody } from '../../../src/engine/trace/events.ts';

export const stamp = { turn_id: 'turn-1', seq: 1, timestamp: '2025-11-05T10:30:45.000Z', elapsed_ms: 0 };
export const stamped = (body: TraceEventBody, more: Partial<typeof stamp> = {}): TraceEvent => ({ ...stamp, ...more, ...body });

export const ofCall = (tool_id: string, call_id = 'call-1') => ({ tool_id, call_id });
export const succeeded = (tool: string, duration_ms = 10): TraceEvent =>
  stamped({ event_type: 'ToolSucceeded', ...ofCall(tool), attempt: 1, duration_ms });
export const started = (tool: string): TraceEvent =>
  stamped({ event_type: 'AttemptStarted', ...ofCall(tool), attempt: 1, timeout_ms: 1, circuit_breaker_state: 'closed' });
export const failed = (tool: string, code: string, attempt = 1): TraceEvent =>
  stamped({
    event_type: 'ToolError',
    ...ofCall(tool),
    attempt,
    error: 'x',
    classification: 'transient',
    circuit_breaker_state: 'closed',
    retry_count: 0,
    decision: 'fail',
    code,
    category: 'unknown',
    rule: 'unknown',
    ambiguous: false,
    duration_ms: 1,
  });
export const completed = (tool: string, more: Partial<Extract<TraceEvent, { event_type: 'CallCompleted' }>> = {}): TraceEvent =>
  stamped({
    event_type: 'CallCompleted',
    ...ofCall(tool),
    status: 'success',
    served_by: tool,
    attempts: 1,
    execution_time_ms: 5_000,
    ...more,
  });

export function read(metrics: Metrics, name: string, wanted: Labels = {}): number {
  return metrics
    .samples(name)
    .filter(({ labels }) => Object.entries(wanted).every(([label, value]) => labels[label] === value))
    .reduce((sum, { value }) => sum + value, 0);
}

export function fed(events: readonly TraceEvent[], options?: MetricsOptions): Metrics {
  const metrics = createMetrics(options);
  for (const event of events) metrics.observe(event);
  return metrics;
}

export const toolsOf = (metrics: Metrics): readonly (string | undefined)[] =>
  metrics.family('inFlight').series.map(({ labels }) => labels['tool']);
