/** Owns the events of a turn: its plan, the outcomes of dependent calls, its end. */
import type { CircuitSnapshot } from '../../breaker/types.ts';

/** A call of the plan. */
export interface PlannedCallRecord {
  /** Id of the call, unique within its turn. */
  readonly call_id: string;
  /** Name of the tool that the call requested. */
  readonly tool_id: string;
  /** Ids of the calls that this one waits for. */
  readonly depends_on: readonly string[];
  /** True when the turn succeeds without the call; else absent. */
  readonly optional?: boolean;
  /** True when losing the call escalates the turn; else absent. */
  readonly critical?: boolean;
  /** Dependencies with a default for their output. */
  readonly defaults?: readonly string[];
  /** Settings of this call alone. */
  readonly policy?: unknown;
}

/** First event of a turn: everything that its decisions depend on. */
export interface TurnStarted {
  /** Discriminates the union of trace events. */
  readonly event_type: 'TurnStarted';
  /** Identifies this run of the turn where several processes may record it, one after the other: a store that has the run continues it. */
  readonly execution_id?: string;
  /** Seed of every random delay, so that a replay draws the same ones. */
  readonly seed: string;
  /** Profile of the service: `spec`, `service` or `adaptive`. */
  readonly profile: string;
  /** Deadline of the turn; `null`: none. */
  readonly timeout_ms: number | null;
  /** Calls that may run at once. `Infinity` (`null` in JSON): no limit. */
  readonly concurrency: number;
  /** What happens to running tools at the deadline: `detach` lets them finish in the background. */
  readonly on_deadline: 'detach' | 'abort';
  /** Retries of all calls of the turn together; `null`: no cap. */
  readonly max_retries: number | null;
  /** The plan, by depth and then by call id. */
  readonly calls: readonly PlannedCallRecord[];
  /** The settings of every tool of the turn, so that the turn can be replayed without its manifest. */
  readonly tools: Readonly<Record<string, unknown>>;
  /** Settings of all other tools. */
  readonly base: unknown;
  /** The recovery rules of the service, as plain data. */
  readonly recovery_rules: readonly unknown[];
  /** Circuits that were not in their initial state when the turn began. */
  readonly circuits: Readonly<Record<string, CircuitSnapshot>>;
  /** The partition whose gates the turn uses, by tool; absent when it uses the tools' own. */
  readonly partitions?: Readonly<Record<string, string>>;
}

/** A default value was used (docs/specification.md#s1-5-3). */
export interface DefaultUsed {
  /** Discriminates the union of trace events. */
  readonly event_type: 'DefaultUsed';
  /** Id of the call, unique within its turn. */
  readonly call_id: string;
  /** Name of the tool that the call requested. */
  readonly tool_id: string;
  /** The dependency whose output the default replaces; absent for a tool's own fallback value. */
  readonly dependency?: string;
  /** `Used default value for …`; `Used fallback value for …` for the fallback value of a tool. */
  readonly message: string;
}

/** A call that could not run because of what it depends on (docs/specification.md#s1-5-1, #s1-5-2). */
export interface ToolSkipped {
  /** Discriminates the union of trace events. */
  readonly event_type: 'ToolSkipped';
  /** Id of the call, unique within its turn. */
  readonly call_id: string;
  /** Name of the tool that the call requested. */
  readonly tool_id: string;
  /** Whether the turn succeeds without the call. */
  readonly optional: boolean;
  /** The failed calls, from the direct cause to the first. */
  readonly caused_by: readonly string[];
  /** `skip` for an optional call, `escalate` for a required one. */
  readonly decision: 'skip' | 'escalate';
  /** `Optional tool skipped due to dependency failure`, or the same of a required tool. */
  readonly message: string;
}

/** An operator has to be notified: a required call, or the turn's critical path, is lost. */
export interface Escalated {
  /** Discriminates the union of trace events. */
  readonly event_type: 'Escalated';
  /** Id of the call, unique within its turn. */
  readonly call_id: string;
  /** Name of the tool that the call requested. */
  readonly tool_id: string;
  /** Whether the plan marks the call as critical. */
  readonly critical: boolean;
  /** Error code of the call, such as `DEPENDENCY_FAILED`. */
  readonly code: string;
  /** The message for the user (docs/specification.md#s1-6-5: user notified). */
  readonly user_message: string;
  /** `Escalated: ` and the error message, redacted. */
  readonly message: string;
}

/** The turn reached its deadline; it settles at once with the results it has. */
export interface TurnDeadlineReached {
  /** Discriminates the union of trace events. */
  readonly event_type: 'TurnDeadlineReached';
  /** Time limit of the turn. */
  readonly timeout_ms: number;
  /** Ids of the calls that were started and have no result yet. */
  readonly running: readonly string[];
  /** Ids of the calls that were not started. */
  readonly waiting: readonly string[];
  /** Always `Turn deadline reached: collecting available results`. */
  readonly message: string;
}

/** Another process continues the turn: the one that ran it was lost, or was stopped. */
export interface TurnTakenOver {
  /** Discriminates the union of trace events. */
  readonly event_type: 'TurnTakenOver';
  /** How long nothing of the turn was recorded: since the last input that the earlier process journaled. */
  readonly gap_ms: number;
  /** Ids of the calls that may have been running: their attempts are repeated, with the same idempotency keys and numbers. */
  readonly repeated: readonly string[];
  /** The same as a sentence. */
  readonly message: string;
}

/** The caller cancelled the turn, or its own time limit was reached. */
export interface TurnCancelled {
  /** Discriminates the union of trace events. */
  readonly event_type: 'TurnCancelled';
  /** `TIMEOUT`: the caller's own time limit was reached. */
  readonly code: 'CANCELLED' | 'TIMEOUT';
  /** The reason as a sentence, redacted. */
  readonly message: string;
}

/** Every call of the turn has its result. Only events of late work follow. */
export interface TurnCompleted {
  /** Discriminates the union of trace events. */
  readonly event_type: 'TurnCompleted';
  /** How the turn ended; see `TurnOutcome`. */
  readonly outcome: 'success' | 'partial' | 'failed' | 'deadline' | 'cancelled';
  /** A sentence such as `Completed flight search, but hotel search timed out`. */
  readonly summary: string;
  /** Whether a critical call did not succeed. */
  readonly escalated: boolean;
  /** From submission of the turn to its last result. */
  readonly duration_ms: number;
  /** The chain of calls that took longest. */
  readonly critical_path: readonly string[];
  /** The same as `summary`. */
  readonly message: string;
}

/** A component of Holdfast, or a user's hook, failed; the call continued without it. */
export interface ComponentFailed {
  /** Discriminates the union of trace events. */
  readonly event_type: 'ComponentFailed';
  /** What failed. `handler`: the advisor; `schema`: a schema that threw; `circuits`: the sharing of circuits with a fleet. */
  readonly component: 'handler' | 'memory' | 'listener' | 'store' | 'schema' | 'circuits';
  /** Name of the listener, the tool or the operation that failed; absent where `component` is enough. */
  readonly name?: string;
  /** Error message, redacted. */
  readonly error: string;
  /** Id of the call that it happened in; absent outside of a call. */
  readonly call_id?: string;
}
