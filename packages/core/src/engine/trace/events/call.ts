/** Owns the events of one call: admission, attempts, failures and decisions about them, its end. */
import type { CircuitSnapshot, CircuitState } from '../../breaker/types.ts';
import type { ErrorCategory, ErrorClass } from '../../classify/classification.ts';
import type { DecisionAction, StoppedBy } from '../../recover/decision.ts';
import type { RecordedDecision, RecordedDecisionInputs } from './decision.ts';

/** A call was submitted; nothing has run yet. */
export interface CallStarted {
  /** Discriminates the union of trace events. */
  readonly event_type: 'CallStarted';
  /** Id of the call, unique within its turn. */
  readonly call_id: string;
  /** Name of the tool that the call requested. */
  readonly tool_id: string;
  /** Only with `capture`; redacted and cut to size. */
  readonly arguments?: unknown;
  /** What a replay of a single call needs; absent in a turn, whose `TurnStarted` has it. */
  readonly settings?: SingleCallSettings;
}

/** Everything that the decisions of a single call depend on. Short, since every call has it: settings of tools are those that differ from the profile's. */
export interface SingleCallSettings {
  /** Seed of every random delay, so that a replay draws the same ones. */
  readonly seed: string;
  /** Profile of the service: `spec`, `service` or `adaptive`. */
  readonly profile: string;
  /** Identifies the numbers of the profile, which a later version may change. */
  readonly profile_id: string;
  /** The tool and its alternatives by name, each with the settings that differ from the profile's. */
  readonly tools: Readonly<Record<string, unknown>>;
  /** Settings of all other tools that differ from the profile's; absent when none does. */
  readonly base?: unknown;
  /** Settings of this call alone; absent when it has none. */
  readonly policy?: unknown;
  /** Time limit of the call; absent when only its tool limits it. */
  readonly timeout_ms?: number;
  /** Retries that the call may make; absent when only its tool limits them. */
  readonly max_retries?: number;
  /** The recovery rules of the service, as plain data; absent when it has none. */
  readonly recovery_rules?: readonly unknown[];
  /** Circuits that were not in their initial state when the call began; absent when all were. */
  readonly circuits?: Readonly<Record<string, CircuitSnapshot>>;
  /** The partition whose gates the call uses, by tool; absent when it uses the tools' own. */
  readonly partitions?: Readonly<Record<string, string>>;
}

/** The gate admitted an attempt, and the tool is called. */
export interface AttemptStarted {
  /** Discriminates the union of trace events. */
  readonly event_type: 'AttemptStarted';
  /** Id of the call, unique within its turn. */
  readonly call_id: string;
  /** Name of the tool in use: the requested one, or an alternative. */
  readonly tool_id: string;
  /** Number of the attempt within the call, from 1, alternatives included. */
  readonly attempt: number;
  /** Time limit of the attempt. Infinity, which JSON writes as null: none. */
  readonly timeout_ms: number;
  /** Circuit state at admission, as it acts on calls: `disabled` and `shadow` count as `closed`, `forced_open` as `open`. */
  readonly circuit_breaker_state: CircuitState;
  /** True when the attempt tests whether the tool is back; else absent. */
  readonly probe?: boolean;
  /** True when the attempt runs in parallel with a slow one; else absent. */
  readonly hedge?: boolean;
  /** How long the call had waited at the gate; only where calls wait for recovery. */
  readonly wait_ms?: number;
}

/** A running tool reported progress or partial output. */
export interface ToolProgress {
  /** Discriminates the union of trace events. */
  readonly event_type: 'ToolProgress';
  /** Id of the call, unique within its turn. */
  readonly call_id: string;
  /** Name of the tool in use: the requested one, or an alternative. */
  readonly tool_id: string;
  /** Number of the attempt within the call, from 1, alternatives included. */
  readonly attempt: number;
  /** How far the work has progressed, in a unit of the tool. */
  readonly progress?: number;
  /** The value of `progress` at which the work is complete. */
  readonly total?: number;
  /** What the tool is doing; cut to 500 characters and redacted. */
  readonly message?: string;
  /** The tool reported partial output. */
  readonly partial?: boolean;
}

/** An attempt succeeded, and the call ends with its output. */
export interface ToolSucceeded {
  /** Discriminates the union of trace events. */
  readonly event_type: 'ToolSucceeded';
  /** Id of the call, unique within its turn. */
  readonly call_id: string;
  /** Name of the tool in use: the requested one, or an alternative. */
  readonly tool_id: string;
  /** Number of the attempt within the call, from 1, alternatives included. */
  readonly attempt: number;
  /** How long the attempt took. */
  readonly duration_ms: number;
  /** The number of this retry of the tool, from 1; absent for a first attempt and for a hedged one. */
  readonly retry?: number;
  /** `Tool succeeded on retry 2` where it took more than one attempt (docs/specification.md#s1-6-3). */
  readonly message?: string;
  /** The output. Only with `capture: 'all'`; redacted and cut to size. */
  readonly output?: unknown;
}

/** An attempt reached its time limit (docs/specification.md#s1-4-4), or reported no progress for too long. */
export interface ToolTimeout {
  /** Discriminates the union of trace events. */
  readonly event_type: 'ToolTimeout';
  /** Name of the tool in use: the requested one, or an alternative. */
  readonly tool_id: string;
  /** The limit that was reached. */
  readonly timeout_ms: number;
  /** True when the limit was that without progress; else absent. */
  readonly idle?: boolean;
  /** Id of the call, unique within its turn. */
  readonly call_id: string;
  /** Number of the attempt within the call, from 1, alternatives included. */
  readonly attempt: number;
}

/** A failure, recorded after the decision about it; one per failed attempt or rejected call (docs/specification.md#s0-8-2). */
export interface ToolError {
  /** Discriminates the union of trace events. */
  readonly event_type: 'ToolError';
  /** Name of the tool in use: the requested one, or an alternative. */
  readonly tool_id: string;
  /** Error message, redacted. */
  readonly error: string;
  /** `transient`: the dependency failed; `permanent`: the request was wrong; `neutral`: neither. */
  readonly classification: ErrorClass;
  /** Circuit state after the failure; while another attempt of the call still runs, at the start of the failed one. */
  readonly circuit_breaker_state: CircuitState;
  /** Retries of the tool before this failure; 0 for its first attempt. */
  readonly retry_count: number;
  /** What was decided; `retry` while another attempt of the call still runs. */
  readonly decision: DecisionAction;
  /** Id of the call, unique within its turn. */
  readonly call_id: string;
  /** Number of the attempt within the call, from 1; 0 when the call was rejected before any attempt. */
  readonly attempt: number;
  /** Error code, such as `TOOL_TIMEOUT` or `INVALID_ARGUMENTS`. */
  readonly code: string;
  /** Kind of failure, such as `timeout` or `rate_limit`. */
  readonly category: ErrorCategory;
  /** Rule that classified the error, such as `status:429`. */
  readonly rule: string;
  /** Whether the side effect may have happened. */
  readonly ambiguous: boolean;
  /** How long the attempt took; 0 when none was made. */
  readonly duration_ms: number;
  /** HTTP status; absent when the error has none. */
  readonly status?: number;
  /** The wait that the server asked for; absent when it asked for none. */
  readonly retry_after_ms?: number;
  /** Set when nothing had to be decided: another attempt of the call was still running. */
  readonly message?: string;
}

/** The gate refused the call; the tool was not called. */
export interface CallRefused {
  /** Discriminates the union of trace events. */
  readonly event_type: 'CallRefused';
  /** Id of the call, unique within its turn. */
  readonly call_id: string;
  /** Name of the tool in use: the requested one, or an alternative. */
  readonly tool_id: string;
  /** `CIRCUIT_OPEN`, `RATE_LIMITED`, `BULKHEAD_FULL` or `RETRY_BUDGET_EXHAUSTED`. */
  readonly code: string;
  /** Circuit state at admission, as it acts on calls: `disabled` and `shadow` count as `closed`, `forced_open` as `open`. */
  readonly circuit_breaker_state: CircuitState;
  /** When to try again; absent when that is not known. */
  readonly retry_after_ms?: number;
  /** What refused: `circuit`, `probe_in_progress`, `forced_open`, `server_hint`, `limiter`, `bulkhead` or `budget`. */
  readonly source?: string;
  /** The partition of calls whose circuit and limits refused; absent for the tool's own. */
  readonly partition?: string;
  /** How long a server's Retry-After still holds the tool's calls; absent when it holds none. */
  readonly held_ms?: number;
  /** How long the call had waited at the gate; only where calls wait for recovery. */
  readonly wait_ms?: number;
}

/** The decision about a failure, its inputs, and what decided. */
export interface RecoveryDecided {
  /** Discriminates the union of trace events. */
  readonly event_type: 'RecoveryDecided';
  /** Id of the call, unique within its turn. */
  readonly call_id: string;
  /** Name of the tool in use: the requested one, or an alternative. */
  readonly tool_id: string;
  /** Number of the failed attempt, from 1; 0 when the call was refused or rejected before an attempt. */
  readonly attempt: number;
  /** Everything the decision was made from; a replay makes the same decision from it. */
  readonly inputs: RecordedDecisionInputs;
  /** The decision, and the checks behind it. */
  readonly decision: RecordedDecision;
  /** `handler`: an advisor's decision was taken; `built_in`: all others. */
  readonly decided_by: 'built_in' | 'handler';
  /** The decision's reason. */
  readonly message: string;
}

/** A failed call makes another attempt after a delay. */
export interface RetryScheduled {
  /** Discriminates the union of trace events. */
  readonly event_type: 'RetryScheduled';
  /** Id of the call, unique within its turn. */
  readonly call_id: string;
  /** Name of the tool in use: the requested one, or an alternative. */
  readonly tool_id: string;
  /** Number of the next attempt. */
  readonly attempt: number;
  /** Backoff before the attempt asks for admission, jitter included. */
  readonly delay_ms: number;
}

/** A call waits for a free slot of its tool, for its rate limit, or for the tool to recover. */
export interface AdmissionWaiting {
  /** Discriminates the union of trace events. */
  readonly event_type: 'AdmissionWaiting';
  /** Id of the call, unique within its turn. */
  readonly call_id: string;
  /** Name of the tool in use: the requested one, or an alternative. */
  readonly tool_id: string;
  /**
   * What the call waits for. `concurrency`: a free slot; `retry_after`: the end of a Retry-After or of the rate limit; `retry_budget`: successes
   * that pay for its retry; `recovery`: a circuit that lets calls through.
   */
  readonly wait: 'concurrency' | 'retry_after' | 'recovery' | 'retry_budget';
  /** When the call could continue at the earliest; absent for `concurrency`. */
  readonly delay_ms?: number;
  /** The number of calls that may run at once, where timeouts have set a limit. */
  readonly limit?: number;
  /** The number of waiting calls, this one included; where calls wait for recovery. */
  readonly queued?: number;
  /** How long a server's Retry-After still holds the tool's calls; absent when it holds none. */
  readonly held_ms?: number;
}

/** An alternative is tried (docs/specification.md#s1-6-4). */
export interface AlternativeUsed {
  /** Discriminates the union of trace events. */
  readonly event_type: 'AlternativeUsed';
  /** Id of the call, unique within its turn. */
  readonly call_id: string;
  /** Name of the tool that the call requested. */
  readonly tool_id: string;
  /** Name of the tool that is tried instead. */
  readonly alternative: string;
  /** Always `Used alternative tool`. */
  readonly message: string;
}

/** Work that continued after its call was answered has ended. Recorded, never delivered. */
export interface LateResult {
  /** Discriminates the union of trace events. */
  readonly event_type: 'LateResult';
  /** Id of the call, unique within its turn. */
  readonly call_id: string;
  /** Name of the tool in use: the requested one, or an alternative. */
  readonly tool_id: string;
  /** Number of the attempt within the call, from 1, alternatives included. */
  readonly attempt: number;
  /** Whether the late work succeeded or failed. */
  readonly result: 'late_success' | 'late_failure';
  /** From the start of the attempt to the end of its work. */
  readonly duration_ms: number;
}

/**
 * Work that ignored its time limit and the abandon limit, or that had no time limit and passed the abandon limit after its turn's deadline: its slot is free again, but
 * it may still run.
 */
export interface AttemptAbandoned {
  /** Discriminates the union of trace events. */
  readonly event_type: 'AttemptAbandoned';
  /** Id of the call, unique within its turn. */
  readonly call_id: string;
  /** Name of the tool in use: the requested one, or an alternative. */
  readonly tool_id: string;
  /** Number of the attempt within the call, from 1, alternatives included. */
  readonly attempt: number;
  /** From the start of the attempt until its slot was freed. */
  readonly duration_ms: number;
}

/** The end of a call, with its result. */
export interface CallCompleted {
  /** Discriminates the union of trace events. */
  readonly event_type: 'CallCompleted';
  /** Id of the call, unique within its turn. */
  readonly call_id: string;
  /** Name of the tool that the call requested. */
  readonly tool_id: string;
  /** How the call ended; `error` also when a static fallback supplied the output. */
  readonly status: 'success' | 'error' | 'timeout';
  /** Name of the tool that answered, or was tried last. */
  readonly served_by: string;
  /** Attempts in all, alternatives included; 0 when no tool was run. */
  readonly attempts: number;
  /** From submission to the result, waiting included. */
  readonly execution_time_ms: number;
  /** Error code, such as `TOOL_TIMEOUT`; absent on success. */
  readonly code?: string;
  /** Error message, redacted; absent on success. */
  readonly error?: string;
  /** `transient`: the dependency failed; `permanent`: the request was wrong; `neutral`: neither. Absent on success. */
  readonly classification?: ErrorClass;
  /** Kind of failure, such as `timeout` or `rate_limit`; absent on success. */
  readonly category?: ErrorCategory;
  /** What ended the attempts; absent on success, and when the failure is of a kind that is never retried. */
  readonly stopped_by?: StoppedBy;
  /** True when an alternative or a static fallback supplied the output; else absent. */
  readonly fallback_used?: boolean;
  /** True when the output is partial output that the tool had reported before its time was up; else absent. */
  readonly partial?: boolean;
  /** True when the call was not run because of what it depends on; else absent. */
  readonly skipped?: boolean;
  /** Total time that the call waited at gates; only where calls wait for recovery. */
  readonly wait_ms?: number;
  /** Set when the call belonged to no turn: only late work follows it. */
  readonly ends_turn?: boolean;
}
