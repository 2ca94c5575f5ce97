/**
 * Owns the event types of the Turn Trace, as one union. Does not own stamping and storing (`turn-trace.ts`).
 *
 * Invariants
 * 1. Events are plain JSON data in snake_case; they contain nothing live (errors, functions) and no secrets: strings are redacted before.
 * 2. `seq` counts 1, 2, 3 … within a turn; `elapsed_ms` is monotonic time since the turn began.
 * 3. The shapes of `ToolError` (docs/specification.md#s0-8-2) and `ToolTimeout` (#s1-4-4) keep the keys of the specification and may have further ones.
 */
import type { AgentEventBody } from './events/agent.ts';
import type {
  AdmissionWaiting,
  AlternativeUsed,
  AttemptAbandoned,
  AttemptStarted,
  CallCompleted,
  CallRefused,
  CallStarted,
  LateResult,
  RecoveryDecided,
  RetryScheduled,
  ToolError,
  ToolProgress,
  ToolSucceeded,
  ToolTimeout,
} from './events/call.ts';
import type { CircuitBreakerClosed, CircuitBreakerHalfOpened, CircuitBreakerOpened } from './events/circuit.ts';
import type {
  ComponentFailed,
  DefaultUsed,
  Escalated,
  ToolSkipped,
  TurnCancelled,
  TurnCompleted,
  TurnDeadlineReached,
  TurnStarted,
  TurnTakenOver,
} from './events/turn.ts';

export type * from './events/agent.ts';
export type * from './events/call.ts';
export type * from './events/circuit.ts';
export type * from './events/decision.ts';
export type * from './events/turn.ts';

/** The fields of every event, added by the trace. */
export interface Stamp {
  /** Id of the turn; a single call or a batch has a turn id too. */
  readonly turn_id: string;
  /** Position of the event within its turn: 1, 2, 3 … */
  readonly seq: number;
  /** ISO 8601, UTC. */
  readonly timestamp: string;
  /** Milliseconds since the turn began. */
  readonly elapsed_ms: number;
}

/** An event before it is stamped. */
export type TraceEventBody =
  | TurnStarted
  | CallStarted
  | AttemptStarted
  | ToolProgress
  | ToolSucceeded
  | ToolTimeout
  | ToolError
  | CallRefused
  | RecoveryDecided
  | RetryScheduled
  | AdmissionWaiting
  | CircuitBreakerOpened
  | CircuitBreakerHalfOpened
  | CircuitBreakerClosed
  | AlternativeUsed
  | DefaultUsed
  | ToolSkipped
  | Escalated
  | LateResult
  | AttemptAbandoned
  | CallCompleted
  | TurnDeadlineReached
  | TurnTakenOver
  | TurnCancelled
  | TurnCompleted
  | ComponentFailed
  | AgentEventBody;

/** One entry of the Turn Trace. */
export type TraceEvent = TraceEventBody & Stamp;

/** Name of an event: a value of `event_type`. */
export type TraceEventType = TraceEventBody['event_type'];
