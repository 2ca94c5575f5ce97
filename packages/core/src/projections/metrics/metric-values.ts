/** Owns the closed sets of label values. */
import type { CircuitState } from '../../engine/breaker/types.ts';
import type { TraceEventType } from '../../engine/trace/events.ts';

/**
 * How a call ended. `refused`: our own admission said no. `rejected`: the request itself was at fault, and no tool was run (bad arguments, a tool that is
 * not there). `skipped`: a call it depends on was lost. `unstarted`: its time was up before a first attempt. Only `error` and `timeout` speak about the tool.
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

/** Outcomes of calls that a tool was run for. */
export const runOutcomes: readonly CallOutcome[] = ['success', 'error', 'timeout', 'cancelled'];

/** What ended the retries of a failed attempt; each stands for a check of the decision (`retry-denied.ts`). */
export type RetryDenial =
  | 'not_transient'
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

/** Where the numbers of tools go that nobody registered, and of values beyond a limit. */
export const unknownTool = 'unknown';
export const otherValue = 'other';

/** Edges in seconds. 5 is one of them, so that what took longer is counted exactly. */
export const defaultBuckets: readonly number[] = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120];

export const turnCallBuckets: readonly number[] = [1, 2, 3, 5, 10, 20, 50, 100];

export const circuitStates: readonly CircuitState[] = ['closed', 'open', 'half_open'];

/** A record, so that a new event cannot be forgotten. */
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
  ComponentFailed: true,
  ArgumentsRepaired: true,
  ValidationRetryScheduled: true,
  ValidationRetryExhausted: true,
  ValidationRecovered: true,
  AgentCallRefused: true,
  AgentRunStopped: true,
  ReducerFailed: true,
  TranscriptRepaired: true,
};

export const eventTypes: readonly TraceEventType[] = Object.keys(everyEventType) as TraceEventType[];
