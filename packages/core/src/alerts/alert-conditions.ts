/**
 * Owns S4's alert conditions as a fold over the trace: failure rate, mean execution time, breaker trips, response-validation failures. Does not own telling
 * anybody.
 *
 * Invariants
 * 1. `strict: true` is S4's literal rule: any volume, no hysteresis.
 * 2. Otherwise a rate or mean needs `minimumCalls` in the window to begin, and must fall below `clearAt` of its limit to end.
 */
import type { TraceEvent } from '../trace/events.ts';

export type AlertCondition = 'failure_rate' | 'execution_time' | 'circuit_breaker_trip' | 'response_validation_failure';

export interface Alert {
  readonly condition: AlertCondition;
  readonly toolName: string;
  /** What was measured: a share, milliseconds, or a count. */
  readonly value: number;
  readonly limit: number;
  readonly since: string;
  readonly message: string;
}

export interface AlertOptions {
  /** S4's literal rules. @default false */
  readonly strict?: boolean;
  /** @default 0.05 */
  readonly failureRate?: number;
  /** @default 5000 */
  readonly executionTimeMs?: number;
  /** Calls in the window before a rate or mean means anything. @default 20 */
  readonly minimumCalls?: number;
  /** Latest calls that rates and means look at. @default 100 */
  readonly windowCalls?: number;
  /** Share of the limit below which an alert ends. @default 0.8 */
  readonly clearAt?: number;
}

export interface AlertMonitor {
  observe(event: TraceEvent): void;
  /** What is the matter now. */
  active(): readonly Alert[];
}

/** Codes that say that an answer was not what it had to be. */
const invalidResponses: ReadonlySet<string> = new Set(['INVALID_OUTPUT', 'INVALID_RESPONSE']);

/** Tools watched at a time. */
const MAX_TOOLS = 1_000;

interface Sample {
  readonly failed: boolean;
  readonly durationMs: number;
}

export function createAlertMonitor(options: AlertOptions = {}): AlertMonitor {
  const { strict = false, failureRate = 0.05, executionTimeMs = 5_000, minimumCalls = 20, windowCalls = 100, clearAt = 0.8 } = options;
  const windows = new Map<string, Sample[]>();
  const alerts = new Map<string, Alert>();

  const forget = (toolName: string | undefined): void => {
    if (toolName === undefined) return;
    windows.delete(toolName);
    for (const condition of Object.keys(conditionTitles)) alerts.delete(`${condition} ${toolName}`);
  };

  const judge = (condition: AlertCondition, event: TraceEvent & { readonly tool_id: string }, value: number, limit: number): void => {
    const key = `${condition} ${event.tool_id}`;
    const active = alerts.get(key);
    const isOver = value > (active && !strict ? limit * clearAt : limit);
    if (!isOver) alerts.delete(key);
    else {
      const message = `${conditionTitles[condition]} of ${event.tool_id}: ${sayValue(condition, value)} (limit ${sayValue(condition, limit)})`;
      alerts.set(key, { condition, toolName: event.tool_id, value, limit, since: active?.since ?? event.timestamp, message });
    }
  };

  const callCompleted = (event: Extract<TraceEvent, { event_type: 'CallCompleted' }>): void => {
    if (event.code === 'CANCELLED') return;
    const window = windows.get(event.tool_id) ?? [];
    window.push({ failed: event.status !== 'success', durationMs: event.execution_time_ms });
    if (window.length > windowCalls) window.shift();
    // In order of use, so that names that models invent push each other out.
    windows.delete(event.tool_id);
    if (windows.size >= MAX_TOOLS) forget(windows.keys().next().value);
    windows.set(event.tool_id, window);
    judge('response_validation_failure', event, invalidResponses.has(event.code ?? '') ? 1 : 0, 0);
    if (event.status === 'success' && event.served_by === event.tool_id) alerts.delete(`circuit_breaker_trip ${event.tool_id}`);
    if (!strict && window.length < minimumCalls) return;
    judge('failure_rate', event, window.filter(({ failed }) => failed).length / window.length, failureRate);
    judge('execution_time', event, window.reduce((sum, { durationMs }) => sum + durationMs, 0) / window.length, executionTimeMs);
  };

  return {
    observe(event) {
      if (event.event_type === 'CallCompleted') callCompleted(event);
      else if (event.event_type === 'CircuitBreakerOpened') judge('circuit_breaker_trip', event, 1, 0);
      else if (event.event_type === 'CircuitBreakerClosed') alerts.delete(`circuit_breaker_trip ${event.tool_id}`);
    },
    active: () => [...alerts.values()],
  };
}

const conditionTitles: Readonly<Record<AlertCondition, string>> = {
  failure_rate: 'Failure rate',
  execution_time: 'Mean execution time',
  circuit_breaker_trip: 'Circuit breaker trips',
  response_validation_failure: 'Response validation failures',
};

function sayValue(condition: AlertCondition, value: number): string {
  if (condition === 'failure_rate') return `${Math.round(value * 1000) / 10} %`;
  return condition === 'execution_time' ? `${Math.round(value)} ms` : String(value);
}
