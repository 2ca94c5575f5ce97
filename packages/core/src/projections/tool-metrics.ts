/**
 * Owns the metrics of each tool (docs/specification.md#s0-8-1, #s4): a fold over trace events, their only source.
 *
 * Invariant: bounded by the number of tools; O(1) per event.
 */
import type { TraceEvent, TraceEventType } from '../engine/trace/events.ts';

/**
 * What happened to the calls of a tool since the service was created (docs/specification.md#s4-metrics). A call counts for the tool that was
 * asked for.
 */
export interface ToolMetrics {
  /** Calls that were answered. */
  readonly totalExecutions: number;
  /** Calls answered with `success`. */
  readonly successCount: number;
  /** Calls answered with `error`, without cancelled ones. */
  readonly errorCount: number;
  /** Calls answered with `timeout`. */
  readonly timeoutCount: number;
  /** Calls that the caller cancelled; not counted as failures. */
  readonly cancelledCount: number;
  /** Calls that admission refused: open circuit, rate limiter, bulkhead or budget. */
  readonly refusedCount: number;
  /** Milliseconds, mean over the calls for which a tool was started; a call that was refused or skipped took no tool's time. 0 when there are none. */
  readonly avgExecutionTime: number;
  /** Failed share of the calls that were not cancelled, 0 to 1. */
  readonly failureRate: number;
  /** What happened to the attempts: retries, hedges and runs on behalf of another tool included. */
  readonly attempts: AttemptMetrics;
}

/** What happened to the attempts of a tool (docs/specification.md#s0-8-1). An attempt counts for the tool that ran. */
export interface AttemptMetrics {
  /** Attempts that failed. */
  readonly errorCount: number;
  /** Failed attempts that were classified as transient. */
  readonly transientErrorCount: number;
  /** Failed attempts that were classified as permanent. */
  readonly permanentErrorCount: number;
  /** Retries that were scheduled; one that admission refuses in the end counts, too. */
  readonly retryCount: number;
  /** Share of the retries that succeeded, 0 to 1; 0 when there were none. */
  readonly retrySuccessRate: number;
  /** How often the circuit of the tool opened. */
  readonly circuitBreakerOpens: number;
  /** Attempts that were ended at their time limit. */
  readonly timeoutCount: number;
}

/** The events that are counted; other events change nothing. */
export const metricsEvents: readonly TraceEventType[] = [
  'CallCompleted',
  'ToolError',
  'RetryScheduled',
  'ToolSucceeded',
  'CircuitBreakerOpened',
  'ToolTimeout',
  'CallRefused',
];

interface Counters {
  total: number;
  success: number;
  error: number;
  timeout: number;
  cancelled: number;
  /** Calls for which a tool was started. */
  run: number;
  totalMs: number;
  attemptErrors: number;
  transientErrors: number;
  permanentErrors: number;
  retries: number;
  retrySuccesses: number;
  opens: number;
  attemptTimeouts: number;
  refused: number;
  /** When the latest transient failure ended, in ISO 8601. */
  failedAt: string | undefined;
}

const emptyCounters = (): Counters => ({
  total: 0,
  success: 0,
  error: 0,
  timeout: 0,
  cancelled: 0,
  run: 0,
  totalMs: 0,
  attemptErrors: 0,
  transientErrors: 0,
  permanentErrors: 0,
  retries: 0,
  retrySuccesses: 0,
  opens: 0,
  attemptTimeouts: 0,
  refused: 0,
  failedAt: undefined,
});

/** A fold over trace events that counts the metrics of each tool. */
export interface MetricsFold {
  /** Counts one event; events without a tool change nothing. */
  observe(event: TraceEvent): void;
  /** Returns the metrics of a tool; zeros if it was never called. */
  of(toolName: string): ToolMetrics;
  /** Returns the metrics of every tool in the events, by name. */
  all(): ReadonlyMap<string, ToolMetrics>;
  /** Returns when the latest transient failure of a tool ended, in milliseconds since 1970; `undefined` if none was counted. */
  lastFailureOf(toolName: string): number | undefined;
}

/** Options of `createMetricsFold`. */
export interface MetricsFoldOptions {
  /** Unknown tools are counted together as `(unknown)`, since models invent names. @default all are known */
  readonly isKnown?: (toolName: string) => boolean;
}

/** Creates a fold without any counts. */
export function createMetricsFold({ isKnown = () => true }: MetricsFoldOptions = {}): MetricsFold {
  const tools = new Map<string, Counters>();
  const countersOf = (name: string): Counters => {
    const known = tools.get(name);
    if (known) return known;
    const tool = isKnown(name) ? name : '(unknown)';
    const counters = tools.get(tool) ?? emptyCounters();
    tools.set(tool, counters);
    return counters;
  };
  return {
    observe(event) {
      const { tool_id } = event as { readonly tool_id?: string };
      if (tool_id !== undefined) count(countersOf(tool_id), event);
    },
    of: (toolName) => toMetrics(tools.get(toolName) ?? emptyCounters()),
    all: () => new Map([...tools].map(([tool, counters]) => [tool, toMetrics(counters)])),
    lastFailureOf(toolName) {
      const failedAt = tools.get(toolName)?.failedAt;
      return failedAt === undefined ? undefined : Date.parse(failedAt);
    },
  };
}

function count(counters: Counters, event: TraceEvent): void {
  switch (event.event_type) {
    case 'CallCompleted':
      counters.total += 1;
      if (event.attempts > 0) {
        counters.run += 1;
        counters.totalMs += event.execution_time_ms;
      }
      if (event.code === 'CANCELLED') counters.cancelled += 1;
      else if (event.status === 'success') counters.success += 1;
      else counters[event.status] += 1;
      return;
    case 'ToolError':
      // Refused before any attempt: not an error of the tool.
      if (event.attempt === 0) return;
      counters.attemptErrors += 1;
      if (event.classification === 'transient') {
        counters.transientErrors += 1;
        counters.failedAt = event.timestamp;
      }
      if (event.classification === 'permanent') counters.permanentErrors += 1;
      return;
    case 'RetryScheduled':
      counters.retries += 1;
      return;
    case 'ToolSucceeded':
      if (event.retry !== undefined) counters.retrySuccesses += 1;
      return;
    case 'CircuitBreakerOpened':
      counters.opens += 1;
      return;
    case 'ToolTimeout':
      counters.attemptTimeouts += 1;
      return;
    case 'CallRefused':
      counters.refused += 1;
      return;
    default:
  }
}

function toMetrics(counters: Counters): ToolMetrics {
  const completed = counters.total - counters.cancelled;
  return {
    totalExecutions: counters.total,
    successCount: counters.success,
    errorCount: counters.error,
    timeoutCount: counters.timeout,
    cancelledCount: counters.cancelled,
    refusedCount: counters.refused,
    avgExecutionTime: counters.run === 0 ? 0 : counters.totalMs / counters.run,
    failureRate: completed === 0 ? 0 : (counters.error + counters.timeout) / completed,
    attempts: {
      errorCount: counters.attemptErrors,
      transientErrorCount: counters.transientErrors,
      permanentErrorCount: counters.permanentErrors,
      retryCount: counters.retries,
      retrySuccessRate: counters.retries === 0 ? 0 : counters.retrySuccesses / counters.retries,
      circuitBreakerOpens: counters.opens,
      timeoutCount: counters.attemptTimeouts,
    },
  };
}
