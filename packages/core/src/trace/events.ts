/**
 * Owns the Turn Trace's vocabulary: one union of event types. Does not own stamping and storing (`recorder.ts`).
 *
 * Invariants
 * 1. Events are plain JSON data in snake_case; nothing live (errors, functions) is in them, and no secret: texts were redacted before.
 * 2. `seq` counts 1, 2, 3 … within a turn; `elapsed_ms` is monotonic time since the turn began.
 * 3. The shapes of `ToolError` (S0 8.2) and `ToolTimeout` (S1 4.4) keep the source's keys; ours come beside them.
 */
import type * as agent from './events/agent.ts';
import type * as call from './events/call.ts';
import type * as circuit from './events/circuit.ts';
import type * as turn from './events/turn.ts';

export type * from './events/agent.ts';
export type * from './events/call.ts';
export type * from './events/circuit.ts';
export type * from './events/turn.ts';

/** What every event carries; put on by the recorder. */
export interface Stamp {
  readonly turn_id: string;
  readonly seq: number;
  /** ISO 8601, UTC. */
  readonly timestamp: string;
  /** Since the turn began. */
  readonly elapsed_ms: number;
}

/** An event before it is stamped. */
export type TraceEventBody =
  | turn.TurnStarted
  | call.CallStarted
  | call.AttemptStarted
  | call.ToolProgress
  | call.ToolSucceeded
  | call.ToolTimeout
  | call.ToolError
  | call.CallRefused
  | call.RecoveryDecided
  | call.RetryScheduled
  | call.AdmissionWaiting
  | circuit.CircuitBreakerOpened
  | circuit.CircuitBreakerHalfOpened
  | circuit.CircuitBreakerClosed
  | call.AlternativeUsed
  | turn.DefaultUsed
  | turn.ToolSkipped
  | turn.Escalated
  | call.LateResult
  | call.AttemptAbandoned
  | call.CallCompleted
  | turn.TurnDeadlineReached
  | turn.TurnCancelled
  | turn.TurnCompleted
  | turn.ComponentFailed
  | agent.ArgumentsRepaired
  | agent.ValidationRetryScheduled
  | agent.ValidationRetryExhausted
  | agent.ValidationRecovered
  | agent.AgentCallRefused
  | agent.AgentRunStopped
  | agent.ReducerFailed
  | agent.TranscriptRepaired;

/** One entry of the Turn Trace. */
export type TraceEvent = TraceEventBody & Stamp;

export type TraceEventType = TraceEventBody['event_type'];
