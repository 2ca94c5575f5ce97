/** Owns the closed sets of label values. */
import type { CircuitState } from '../../engine/breaker/types.ts';
import { isAgentEvent } from '../../engine/trace/agent-event-types.ts';
import type { TraceEventType } from '../../engine/trace/events.ts';

/**
 * How a call ended. `refused`: Holdfast's admission refused it. `rejected`: the request was invalid and no tool was run (invalid arguments, unknown tool).
 * `skipped`: a dependency failed. `unstarted`: its time was up before the first attempt. Only `error` and `timeout` are failures of the tool.
 */
export type CallOutcome = 'success' | 'error' | 'timeout' | 'refused' | 'rejected' | 'skipped' | 'unstarted' | 'cancelled';

export const callOutcomes: readonly CallOutcome[] = [
  'success',
  'error',
  'timeout',
  'refused',
  'rejected',
  'skipped',
  'unstarted',
  'cancelled',
];

/** Outcomes of calls with at least one attempt. */
export const runOutcomes: readonly CallOutcome[] = ['success', 'error', 'timeout', 'cancelled'];

/** Why a failed attempt was not retried; each value is a check of the decision (`retry-denied.ts`). */
export type RetryDenial =
  | 'not_transient'
  | 'unknown'
  | 'circuit_open'
  | 'unsafe'
  | 'policy'
  | 'attempts'
  | 'evidence'
  | 'retry_time'
  | 'deadline'
  | 'retry_budget'
  | 'turn_budget'
  | 'rate_limit'
  | 'concurrency'
  | 'handler';

export const retryDenials: readonly RetryDenial[] = [
  'not_transient',
  'unknown',
  'circuit_open',
  'unsafe',
  'policy',
  'attempts',
  'evidence',
  'retry_time',
  'deadline',
  'retry_budget',
  'turn_budget',
  'rate_limit',
  'concurrency',
  'handler',
];

/** Label for tools that are not registered. */
export const unknownTool = 'unknown';
/** Label for tools and values beyond a limit. */
export const otherValue = 'other';

/** Edges in seconds. 5 is one of them, so that the calls above the default alert limit are counted exactly. */
export const defaultBuckets: readonly number[] = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120];

export const turnCallBuckets: readonly number[] = [1, 2, 3, 5, 10, 20, 50, 100];

export const circuitStates: readonly CircuitState[] = ['closed', 'open', 'half_open'];

/** A record, so that the compiler reports a missing event type. */
const everyEventType: Readonly<Record<TraceEventType, true>> = {
  TurnStarted: true,
  CallStarted: true,
  AttemptStarted: true,
  ToolProgress: true,
  ToolSucceeded: true,
  ToolTimeout: true,
  ToolError: true,
  CallRefused: true,
  RecoveryDecided: true,
  RetryScheduled: true,
  AdmissionWaiting: true,
  CircuitBreakerOpened: true,
  CircuitBreakerHalfOpened: true,
  CircuitBreakerClosed: true,
  AlternativeUsed: true,
  DefaultUsed: true,
  ToolSkipped: true,
  Escalated: true,
  LateResult: true,
  AttemptAbandoned: true,
  CallCompleted: true,
  TurnDeadlineReached: true,
  TurnCancelled: true,
  TurnCompleted: true,
  TurnTakenOver: true,
  ComponentFailed: true,
  ...isAgentEvent,
};

export const eventTypes: readonly TraceEventType[] = Object.keys(everyEventType) as TraceEventType[];
