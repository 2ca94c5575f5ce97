/**
 * Owns the types of `TurnView`: the state of a turn at one moment. Plain data without colors, columns or wording.
 * All `…Ms` points in time count from the start of the turn. Strings are as in the trace; an absent string is ''.
 */
import type { CircuitState } from '../../engine/breaker/types.ts';
import type { Decision, DecisionInputs } from '../../engine/recover/decision.ts';
import type { TurnOutcome } from '../../engine/turn/report.ts';

/** Status of a call. `not_run`: the turn ended before the first attempt. `interrupted`: its process ended before it did; see `interruptTurn`. */
export type CallStatus =
  | 'interrupted'
  | 'waiting'
  | 'queued'
  | 'running'
  | 'backing_off'
  | 'success'
  | 'error'
  | 'timeout'
  | 'skipped'
  | 'cancelled'
  | 'not_run';

/**
 * What a segment of a call's time was spent on. `dependency`: waiting for its dependencies; `place`: waiting for the turn's limit of concurrent calls;
 * `prepare`: from its start to its first attempt; `queue`: waiting for a slot, a rate limit, a server's hint or the recovery of its tool; `attempt`: the tool ran;
 * `backoff`: the delay before a retry; `late`: work that continued after the end of its attempt.
 */
export type SegmentKind = 'dependency' | 'place' | 'prepare' | 'queue' | 'attempt' | 'backoff' | 'late';

/** How a segment ended. `none`: neither an attempt nor late work. `interrupted`: its process ended before it did. */
export type SegmentResult =
  | 'interrupted'
  | 'running'
  | 'success'
  | 'error'
  | 'timeout'
  | 'cancelled'
  | 'late_success'
  | 'late_failure'
  | 'abandoned'
  | 'none';

/** One segment of a call's time. */
export interface Segment {
  /** What the time was spent on. */
  readonly kind: SegmentKind;
  /** When it began, in milliseconds from the start of the turn. */
  readonly startMs: number;
  /** When it ended, in milliseconds from the start of the turn; undefined while it lasts. */
  readonly endMs: number | undefined;
  /** When a wait is expected to end. */
  readonly plannedEndMs: number | undefined;
  /** The tool that was called, or that the call waits for. */
  readonly toolName: string;
  /** Number of the attempt, or of the attempt that the wait precedes; 0 when there is none. */
  readonly attempt: number;
  /** How it ended. */
  readonly result: SegmentResult;
  /** A second attempt beside a slow one. */
  readonly hedge: boolean;
  /** The attempt that tests a recovering tool. */
  readonly probe: boolean;
  /** The tool is not the requested one. */
  readonly alternative: boolean;
  /** The time limit of an attempt. */
  readonly timeoutMs: number | undefined;
  /** State of the tool's circuit when the attempt started. */
  readonly circuit: string;
  /** For a queue: `concurrency`, `retry_after`, `recovery` or `retry_budget`. */
  readonly wait: string;
  /** For a queue: how long a server's Retry-After held the tool's calls when the wait began; undefined when it held none. */
  readonly heldMs: number | undefined;
  /** HTTP status or code of the failure that ended an attempt. */
  readonly code: string;
  /** For late work: it failed within a second of the abort signal, as a tool does that respects it. */
  readonly stopped: boolean;
}

/** One failed attempt, or one refusal by Holdfast's admission. */
export interface FailureView {
  /** Position of the event in the trace of the turn, from 1. */
  readonly seq: number;
  /** Milliseconds from the start of the turn. */
  readonly atMs: number;
  /** Name of the tool that was called. */
  readonly toolName: string;
  /** 0: refused before the first attempt. */
  readonly attempt: number;
  /** Error code, such as `TOOL_TIMEOUT` or `CIRCUIT_OPEN`. */
  readonly code: string;
  /** Kind of the failure, such as `rate_limit`; '' for a refusal. */
  readonly category: string;
  /** `transient`, `permanent` or `neutral`; a refusal is neutral. */
  readonly classification: string;
  /** The rule that classified the failure; `refused:` with what refused for a refusal. */
  readonly rule: string;
  /** The error's message; '' for a refusal. */
  readonly message: string;
  /** The HTTP status. */
  readonly status: number | undefined;
  /** The wait that the server or the gate requested, in milliseconds; undefined when neither did. */
  readonly retryAfterMs: number | undefined;
  /** The side effect may have happened. */
  readonly ambiguous: boolean;
  /** Holdfast refused it; the tool was not called. */
  readonly refused: boolean;
  /** The attempt ended at its time limit. */
  readonly timedOut: boolean;
  /** State of the tool's circuit when the event was recorded. */
  readonly circuit: string;
  /** For a refusal: how long a server's Retry-After still held the tool's calls; undefined when it held none. */
  readonly heldMs: number | undefined;
  /** How long the attempt took, in milliseconds; undefined for a refusal. */
  readonly durationMs: number | undefined;
}

/** One decision of the Error Handler. */
export interface DecisionView {
  /** Position of the event in the trace of the turn, from 1. */
  readonly seq: number;
  /** Milliseconds from the start of the turn. */
  readonly atMs: number;
  /** Name of the tool that failed. */
  readonly toolName: string;
  /** The number of the failed attempt; 0: refused before the first attempt. */
  readonly attempt: number;
  /** The inputs of the decision. */
  readonly inputs: DecisionInputs;
  /** The decision and its reason. */
  readonly decision: Decision;
  /** `built_in`, or `handler` for an error handler of the application. */
  readonly decidedBy: string;
}

/** How a call ended: its result, without the output. */
export interface CallEnd {
  /** Status of the result. */
  readonly status: 'success' | 'error' | 'timeout';
  /** The tool that answered, or was tried last. */
  readonly servedBy: string;
  /** All attempts, alternatives included; 0 when no tool was run. */
  readonly attempts: number;
  /** Milliseconds from submission to the result, waiting included. */
  readonly executionMs: number;
  /** Error code; '' on success. */
  readonly code: string;
  /** The error's message; '' on success. */
  readonly error: string;
  /** `transient`, `permanent` or `neutral`; '' on success. */
  readonly classification: string;
  /** Kind of the failure, such as `rate_limit`; '' on success. */
  readonly category: string;
  /** What stopped further attempts: `attempts`, `budget`, `deadline`, `circuit` or `policy`; '' when the failure itself did. */
  readonly stoppedBy: string;
  /** An alternative or a static fallback served the call. */
  readonly fallbackUsed: boolean;
  /** The output is the partial output that the tool had reported before it timed out. */
  readonly partial: boolean;
  /** The call was not run because of a dependency. */
  readonly skipped: boolean;
}

/** Why a call was skipped. */
export interface Skip {
  /** The call is optional: skipping it is no failure of the turn. */
  readonly optional: boolean;
  /** Ids of the calls that caused it, from the direct cause to the root cause. */
  readonly causedBy: readonly string[];
  /** The reason in one sentence. */
  readonly message: string;
}

/** The latest progress that the running attempt reported. */
export interface ProgressView {
  /** How much is done, in the unit of `total`; undefined when it was not reported. */
  readonly done: number | undefined;
  /** The total amount of work; undefined when it was not reported. */
  readonly total: number | undefined;
  /** The latest reported message; '' when there is none. */
  readonly message: string;
  /** The tool has reported partial output. */
  readonly partial: boolean;
}

/** One call of a turn. */
export interface CallView {
  /** Id of the call. */
  readonly callId: string;
  /** The requested tool. */
  readonly toolName: string;
  /** Position in the plan; calls that are not in the plan come last. */
  readonly index: number;
  /** Whether the call is in the plan; false for a call that only appears in events. */
  readonly planned: boolean;
  /** Ids of the calls whose output it needs. */
  readonly dependsOn: readonly string[];
  /** The turn can succeed without the call. */
  readonly optional: boolean;
  /** Its failure escalates the whole turn. */
  readonly critical: boolean;
  /** Settings for this call only. */
  readonly policy: unknown;
  /** Current status of the call, or how it ended. */
  readonly status: CallStatus;
  /** When it started, in milliseconds from the start of the turn; undefined before that. */
  readonly startedMs: number | undefined;
  /** When it ended, in milliseconds from the start of the turn; undefined before that. */
  readonly endedMs: number | undefined;
  /** The tool that is called now: the alternative once one is used. */
  readonly currentTool: string;
  /** Number of the current tool's attempt; 0 before the first. */
  readonly attempt: number;
  /** Maximum attempts of the current tool; known from its first decision on. */
  readonly maxAttempts: number | undefined;
  /** Attempts of all tools that were called for it, hedges included. */
  readonly attempts: number;
  /** Attempts beyond the first of each tool, without hedges. */
  readonly retries: number;
  /** What its time was spent on, in the order of the beginnings; late work may overlap. */
  readonly segments: readonly Segment[];
  /** Failed attempts and refusals, oldest first. */
  readonly failures: readonly FailureView[];
  /** Decisions about its failures, oldest first. */
  readonly decisions: readonly DecisionView[];
  /** Alternatives that were called for it, in order. */
  readonly alternatives: readonly string[];
  /** The dependencies whose output was replaced by a default; '' is the fallback of the tool itself. */
  readonly defaults: readonly string[];
  /** Why it was skipped; undefined when it was not. */
  readonly skip: Skip | undefined;
  /** Why a required call is lost, preferably in words for the user; undefined for other calls. The turn is escalated if such a call is `critical`. */
  readonly escalation: string | undefined;
  /** Progress of the running attempt; undefined before the first report and once the attempt or the call has ended. */
  readonly progress: ProgressView | undefined;
  /** How work that outlived its attempt ended. */
  readonly late: 'running' | 'late_success' | 'late_failure' | 'abandoned' | undefined;
  /** Its result; undefined until it ends. */
  readonly end: CallEnd | undefined;
  /** The captured arguments; `undefined` when they were not captured. */
  readonly input: unknown;
  /** The captured output; `undefined` when it was not captured. */
  readonly output: unknown;
  /** Positions of its events among those observed. */
  readonly events: readonly number[];
  /** Grows with every event of the call. */
  readonly revision: number;
}

/** One change of a tool's circuit during the turn. */
export interface CircuitChangeView {
  /** Position of the event in the trace of the turn, from 1. */
  readonly seq: number;
  /** Milliseconds from the start of the turn. */
  readonly atMs: number;
  /** Name of the tool. */
  readonly toolName: string;
  /** Id of the call that caused the change; '' when none did. */
  readonly callId: string;
  /** State after the change. */
  readonly state: CircuitState;
  /** Why it changed, such as `failure_threshold` or `probe_succeeded`. */
  readonly reason: string;
  /** The change in one sentence. */
  readonly message: string;
  /** Consecutive transient failures when it opened; 0 for other changes. */
  readonly failureCount: number;
  /** How long it stays open, in milliseconds; undefined for other changes, and when only an operator can close it. */
  readonly openForMs: number | undefined;
}

/** A turn: its plan, calls, circuits and end. */
export interface TurnView {
  /** Id of the turn; '' before the first event. */
  readonly turnId: string;
  /** `empty` before the first event, `completed` once the turn has ended; late work may follow. */
  readonly status: 'empty' | 'running' | 'completed';
  /** How the turn ended; undefined while it runs. */
  readonly outcome: TurnOutcome | undefined;
  /** Timestamp of the first event. ISO 8601. */
  readonly startedAt: string;
  /** Time of the latest event, in milliseconds from the start of the turn. */
  readonly elapsedMs: number;
  /** How long the whole turn took, in milliseconds; undefined while it runs. */
  readonly durationMs: number | undefined;
  /** The soft deadline; undefined when there is none or it is missing in the trace. */
  readonly timeoutMs: number | undefined;
  /** When the deadline passed, in milliseconds from its start; undefined when that did not happen. */
  readonly deadlineReachedMs: number | undefined;
  /** When the caller cancelled it, in milliseconds from its start; undefined when that did not happen. */
  readonly cancelledMs: number | undefined;
  /** What the deadline does to running attempts: `detach` lets them finish, `abort` ends them. */
  readonly onDeadline: 'detach' | 'abort';
  /** Maximum retries of all calls together; undefined when there is no limit or it is missing in the trace. */
  readonly maxRetries: number | undefined;
  /** Maximum number of concurrent calls; undefined when there is no limit or it is missing in the trace. */
  readonly concurrency: number | undefined;
  /** Name of the profile that the settings are based on; '' before the turn started. */
  readonly profile: string;
  /** Seed of all random parts, such as jitter; '' before the turn started. */
  readonly seed: string;
  /** The calls in plan order. */
  readonly calls: readonly CallView[];
  /** Changes of circuits during the turn, oldest first. */
  readonly circuits: readonly CircuitChangeView[];
  /** Circuits that were not closed when the turn began. */
  readonly circuitsAtStart: readonly { readonly toolName: string; readonly state: CircuitState }[];
  /** Ids of the calls on the critical path, as recorded; empty while the turn runs. */
  readonly criticalPath: readonly string[];
  /** The turn in one sentence; '' while it runs. */
  readonly summary: string;
  /** Whether a critical call is lost. */
  readonly escalated: boolean;
  /** Components and hooks that failed while the turn continued. */
  readonly faults: readonly string[];
  /** Settings by tool, as recorded. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** Settings of tools that are not in `settings`, as recorded. */
  readonly baseSettings: unknown;
  /** Whether it is a single call outside any turn: there is no plan, and the end of the call ends the trace. */
  readonly single: boolean;
  /** Number of events. */
  readonly events: number;
  /** Grows with every event of the turn. */
  readonly revision: number;
}
