/** What exporters print about a list of events, counted a second time from the documents: every family of S0 8.1, S2 and S4, label by label. */
import type { TraceEvent } from '@holdfast/core';
import { createMetrics, type MetricKey } from '@holdfast/core/metrics';
import { expect } from 'vitest';

type Row = readonly [labels: string, amount: number];
type Count = (event: TraceEvent) => Row | undefined;

const one = (label: string): Row => [label, 1];

/** Counters: the labels and the amount that an event adds. */
const counters: Partial<Readonly<Record<MetricKey, Count>>> = {
  calls: (event) => (event.event_type === 'CallCompleted' ? one(`${event.tool_id} ${outcomeOf(event)}`) : undefined),
  attempts: (event) =>
    event.event_type === 'ToolSucceeded'
      ? one(`${event.tool_id} success`)
      : isFailedAttempt(event)
        ? one(`${event.tool_id} ${event.classification}`)
        : undefined,
  attemptErrors: (event) => (isFailedAttempt(event) ? one(`${event.tool_id} ${event.code}`) : undefined),
  timeouts: (event) => (event.event_type === 'ToolTimeout' ? one(event.tool_id) : undefined),
  retries: (event) =>
    event.event_type === 'RecoveryDecided' && event.decision.action === 'retry'
      ? one(`${event.tool_id} ${event.inputs.category}`)
      : undefined,
  retriesSucceeded: (event) => (event.event_type === 'ToolSucceeded' && event.retry !== undefined ? one(event.tool_id) : undefined),
  backoff: (event) => (event.event_type === 'RetryScheduled' ? [event.tool_id, event.delay_ms / 1_000] : undefined),
  refusals: (event) => (event.event_type === 'CallRefused' ? one(`${event.tool_id} ${event.code}`) : undefined),
  circuitTransitions: (event) =>
    event.event_type === 'CircuitBreakerOpened' ||
    event.event_type === 'CircuitBreakerHalfOpened' ||
    event.event_type === 'CircuitBreakerClosed'
      ? one(`${event.tool_id} ${stateAfter[event.event_type]} ${event.reason}`)
      : undefined,
  defaults: (event) =>
    event.event_type === 'DefaultUsed' ? one(`${event.tool_id} ${event.dependency === undefined ? 'fallback' : 'dependency'}`) : undefined,
  skips: (event) => (event.event_type === 'ToolSkipped' ? one(`${event.tool_id} ${event.decision}`) : undefined),
  escalations: (event) => (event.event_type === 'Escalated' ? one(event.tool_id) : undefined),
  partials: (event) => (event.event_type === 'CallCompleted' && event.partial ? one(event.tool_id) : undefined),
  turnDeadlines: (event) => (event.event_type === 'TurnDeadlineReached' ? one('') : undefined),
  validationRetries: (event) => (event.event_type === 'ValidationRetryScheduled' ? one(event.source) : undefined),
  validationsRecovered: (event) => (event.event_type === 'ValidationRecovered' ? one(event.source) : undefined),
  validationsExhausted: (event) =>
    event.event_type === 'ValidationRetryExhausted' ? one(`${event.source} ${event.stopped_by}`) : undefined,
  reducerErrors: (event) => (event.event_type === 'ReducerFailed' ? one('') : undefined),
  agentStops: (event) => (event.event_type === 'AgentRunStopped' ? one('') : undefined),
  agentRefusals: (event) => (event.event_type === 'AgentCallRefused' ? one(event.code) : undefined),
  responsesRejected: (event) => (event.event_type === 'ResponseValidationFailed' ? one(event.stage) : undefined),
};

/** Histograms: the labels and the value that an event observes. */
const histograms: Partial<Readonly<Record<MetricKey, Count>>> = {
  callDuration: (event) =>
    event.event_type === 'CallCompleted' && event.attempts > 0 ? [event.tool_id, event.execution_time_ms / 1_000] : undefined,
  attemptDuration: (event) =>
    event.event_type === 'ToolSucceeded' || isFailedAttempt(event) ? [event.tool_id, event.duration_ms / 1_000] : undefined,
  turnDuration: (event) => (event.event_type === 'TurnCompleted' ? [event.outcome, event.duration_ms / 1_000] : undefined),
  validationDelay: (event) => (event.event_type === 'ValidationRetryScheduled' ? [event.source, event.delay_ms / 1_000] : undefined),
  validationAttempts: (event) =>
    event.event_type === 'ValidationRecovered'
      ? [event.source, event.attempts]
      : event.event_type === 'ValidationRetryExhausted'
        ? [event.source, event.attempt]
        : undefined,
};

const stateAfter = { CircuitBreakerOpened: 'open', CircuitBreakerHalfOpened: 'half_open', CircuitBreakerClosed: 'closed' } as const;

type Failed = Extract<TraceEvent, { event_type: 'ToolError' }>;
const isFailedAttempt = (event: TraceEvent): event is Failed => event.event_type === 'ToolError' && event.attempt > 0;

/** S4 tells successes, errors and timeouts apart; what never reached the tool is none of its failures. */
function outcomeOf({ status, skipped, code, attempts, classification }: Extract<TraceEvent, { event_type: 'CallCompleted' }>): string {
  if (status === 'success') return 'success';
  if (skipped) return 'skipped';
  if (code === 'CANCELLED') return 'cancelled';
  if (status === 'timeout') return attempts > 0 ? 'timeout' : 'unstarted';
  if (attempts > 0 || code === 'INTERNAL_ERROR') return 'error';
  return classification === 'permanent' ? 'rejected' : 'refused';
}

export function expectExported(events: readonly TraceEvent[]): void {
  const tools = [...new Set(events.flatMap((event) => ('tool_id' in event && event.tool_id !== undefined ? [event.tool_id] : [])))];
  if (tools.length > 10) return;
  const metrics = createMetrics({ tools });
  for (const event of events) metrics.observe(event);
  const seriesOf = (key: MetricKey) =>
    metrics.family(key).series.map((series) => ({ ...series, key: Object.values(series.labels).join(' ') }));
  for (const [key, countOf] of Object.entries(counters) as [MetricKey, Count][]) {
    const printed = seriesOf(key).flatMap((series) =>
      'value' in series && series.value !== 0 ? [[series.key, series.value] as const] : [],
    );
    expectRows(
      key,
      printed,
      rowsOf(events, countOf).map(([label, values]) => [label, sum(values)] as const),
    );
  }
  for (const [key, valueOf] of Object.entries(histograms) as [MetricKey, Count][]) {
    const printed = seriesOf(key).filter((series) => 'count' in series && series.count > 0);
    const expected = rowsOf(events, valueOf);
    const valuesOf = new Map(expected);
    for (const series of printed)
      for (const { le, count } of 'buckets' in series ? series.buckets : [])
        expect(count, `${key} up to ${le}`).toBe(valuesOf.get(series.key)?.filter((value) => value <= le).length);
    expectRows(
      `${key} count`,
      printed.map((series) => [series.key, 'count' in series ? series.count : 0] as const),
      expected.map(([label, values]) => [label, values.length] as const),
    );
    expectRows(
      `${key} sum`,
      printed.map((series) => [series.key, 'sum' in series ? series.sum : 0] as const),
      expected.map(([label, values]) => [label, sum(values)] as const),
    );
  }
}

const sum = (values: readonly number[]): number => values.reduce((total, each) => total + each, 0);

function rowsOf(events: readonly TraceEvent[], countOf: Count): readonly (readonly [string, readonly number[]])[] {
  const rows = new Map<string, number[]>();
  for (const event of events) {
    const row = countOf(event);
    if (row) rows.set(row[0], [...(rows.get(row[0]) ?? []), row[1]]);
  }
  return [...rows];
}

function expectRows(name: string, printed: readonly (readonly [string, number])[], expected: readonly (readonly [string, number])[]): void {
  const inOrder = (rows: readonly (readonly [string, number])[]) =>
    rows
      .filter(([, value]) => value !== 0 || name.endsWith(' sum'))
      .map(([label, value]) => [label, Math.round(value * 1e6) / 1e6] as const)
      .toSorted(([a], [b]) => (a < b ? -1 : 1));
  expect(inOrder(printed), name).toEqual(inOrder(expected));
}
