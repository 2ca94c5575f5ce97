/** Owns the events of a turn: its plan, the outcomes of dependent calls, its end. */
import type { CircuitSnapshot } from '../../breaker/types.ts';

/** A call as it was planned. */
export interface PlannedCallRecord {
  readonly call_id: string;
  readonly tool_id: string;
  readonly depends_on: readonly string[];
  readonly optional?: boolean;
  readonly critical?: boolean;
  /** Dependencies with a default for their output. */
  readonly defaults?: readonly string[];
  /** Settings of this call alone. */
  readonly policy?: unknown;
}

export interface TurnStarted {
  readonly event_type: 'TurnStarted';
  /** Names this run of the turn where several processes may record it, one after the other: a store that knows the run continues it. */
  readonly execution_id?: string;
  readonly seed: string;
  readonly profile: string;
  readonly timeout_ms: number | null;
  readonly concurrency: number;
  readonly on_deadline: 'detach' | 'abort';
  readonly max_retries: number | null;
  readonly calls: readonly PlannedCallRecord[];
  /** The settings every tool of the turn ran under, so that the turn can be replayed without its manifest. */
  readonly tools: Readonly<Record<string, unknown>>;
  /** Settings of tools that are not among them. */
  readonly base: unknown;
  readonly recovery_rules: readonly unknown[];
  /** Circuits that were not in their initial state when the turn began. */
  readonly circuits: Readonly<Record<string, CircuitSnapshot>>;
}

/** docs/specification.md#s1-5-3: `Used default value for Tool B`. */
export interface DefaultUsed {
  readonly event_type: 'DefaultUsed';
  readonly call_id: string;
  readonly tool_id: string;
  /** The dependency whose output the default replaces; absent for a tool's own fallback value. */
  readonly dependency?: string;
  readonly message: string;
}

/** docs/specification.md#s1-5-1, #s1-5-2: a call that could not run because of what it depends on. */
export interface ToolSkipped {
  readonly event_type: 'ToolSkipped';
  readonly call_id: string;
  readonly tool_id: string;
  readonly optional: boolean;
  /** From the direct cause to the first. */
  readonly caused_by: readonly string[];
  readonly decision: 'skip' | 'escalate';
  readonly message: string;
}

/** Somebody has to know: a required call, or the turn's critical path, is lost. */
export interface Escalated {
  readonly event_type: 'Escalated';
  readonly call_id: string;
  readonly tool_id: string;
  readonly critical: boolean;
  readonly code: string;
  /** The message for the user (docs/specification.md#s1-6-5: user notified). */
  readonly user_message: string;
  readonly message: string;
}

export interface TurnDeadlineReached {
  readonly event_type: 'TurnDeadlineReached';
  readonly timeout_ms: number;
  readonly running: readonly string[];
  readonly waiting: readonly string[];
  readonly message: string;
}

export interface TurnCancelled {
  readonly event_type: 'TurnCancelled';
  /** `TIMEOUT`: it was the caller's own time limit. */
  readonly code: 'CANCELLED' | 'TIMEOUT';
  readonly message: string;
}

export interface TurnCompleted {
  readonly event_type: 'TurnCompleted';
  readonly outcome: 'success' | 'partial' | 'failed' | 'deadline' | 'cancelled';
  readonly summary: string;
  readonly escalated: boolean;
  readonly duration_ms: number;
  /** The chain of calls that took longest. */
  readonly critical_path: readonly string[];
  readonly message: string;
}

/** A component of Holdfast, or a user's hook, failed; the call continued without it. */
export interface ComponentFailed {
  readonly event_type: 'ComponentFailed';
  readonly component: 'handler' | 'recovery_rules' | 'memory' | 'listener' | 'store' | 'schema' | 'circuits';
  readonly name?: string;
  readonly error: string;
  readonly call_id?: string;
}
