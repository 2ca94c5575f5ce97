/**
 * Owns the types of `TurnView`: what a turn looks like at one moment. Plain data without colors, columns or wording.
 * All `…Ms` points in time count from the start of the turn. Strings are as the trace has them; an absent string is ''.
 */
import type { CircuitState } from '../../engine/breaker/types.ts';
import type { Decision, DecisionInputs } from '../../engine/recover/decision.ts';
import type { TurnOutcome } from '../../engine/turn/report.ts';

/** `not_run`: the end of the turn came before the first attempt. */
export type CallStatus =
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
 * What a segment of a call's time was spent on. `dependency`: the calls it depends on had no result yet; `place`: the turn ran as many calls as it may;
 * `prepare`: from its start to its first attempt; `queue`: a slot, a rate limit, a server's hint or the recovery of its tool; `attempt`: the tool ran;
 * `backoff`: the delay before a retry; `late`: work that continued after the attempt was given up.
 */
export type SegmentKind = 'dependency' | 'place' | 'prepare' | 'queue' | 'attempt' | 'backoff' | 'late';

/** How a segment ended. `none`: it is not an attempt, nor late work. */
export type SegmentResult =
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
  /** Undefined while it lasts. */
  readonly endMs: number | undefined;
  /** When a wait is expected to be over. */
  readonly plannedEndMs: number | undefined;
  /** The tool that was called, or is waited for. */
  readonly toolName: string;
  /** The number of the attempt, or of the one it waits for; 0: none. */
  readonly attempt: number;
  /** How it ended. */
  readonly result: SegmentResult;
  /** A second attempt beside a slow one. */
  readonly hedge: boolean;
  /** The attempt that tests a recovering tool. */
  readonly probe: boolean;
  /** The tool is not the one that was asked for. */
  readonly alternative: boolean;
  /** The time limit of an attempt. */
  readonly timeoutMs: number | undefined;
  /** State of the tool's circuit when the attempt started. */
  readonly circuit: string;
  /** Of a queue: `concurrency`, `retry_after` or `recovery`. */
  readonly wait: string;
  /** HTTP status or code of the failure that ended an attempt. */
  readonly code: string;
  /** Of late work: it failed within a second of being told to stop, as a tool does that heeds its signal. */
  readonly stopped: boolean;
}

/** One failed attempt, or one refusal by Holdfast's own admission. */
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
  /** The wait that the server or the gate asked for, in milliseconds; undefined when neither did. */
  readonly retryAfterMs: number | undefined;
  /** The side effect may have happened. */
  readonly ambiguous: boolean;
  /** Holdfast refused it; the tool was not called. */
  readonly refused: boolean;
  /** The attempt ended at its time limit. */
  readonly timedOut: boolean;
  /** State of the tool's circuit when the event was recorded. */
  readonly circuit: string;
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
  /** Everything the decision was made from. */
  readonly inputs: DecisionInputs;
  /** What was decided, and why. */
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
  /** Attempts in all, alternatives included; 0 when no tool was run. */
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
  /** What ended the attempts: `attempts`, `budget`, `deadline`, `circuit` or `policy`; '' where the failure itself did. */
  readonly stoppedBy: string;
  /** An alternative or a static fallback served the call. */
  readonly fallbackUsed: boolean;
  /** The output is the partial output that the tool had reported when its time was up. */
  readonly partial: boolean;
  /** The call was not run because of what it depends on. */
  readonly skipped: boolean;
}

/** Why a call was skipped. */
export interface Skip {
  /** The failure of the call is no failure of the turn. */
  readonly optional: boolean;
  /** Call ids, from the direct cause to the first. */
  readonly causedBy: readonly string[];
  /** The reason in one sentence. */
  readonly message: string;
}

/** The latest progress that the running attempt reported. */
export interface ProgressView {
  /** How much is done, in the unit of `total`; undefined when it was not reported. */
  readonly done: number | undefined;
  /** How much there is to do; undefined when that was not reported. */
  readonly total: number | undefined;
  /** Text of the latest report that had one; '' without any. */
  readonly message: string;
  /** There is partial output. */
  readonly partial: boolean;
}

/** One call of a turn. */
export interface CallView {
  /** Id of the call. */
  readonly callId: string;
  /** The tool that was asked for. */
  readonly toolName: string;
  /** Position in the plan; calls that are in no plan come last. */
  readonly index: number;
  /** Whether the plan names the call; false for a call that only events name. */
  readonly planned: boolean;
  /** Ids of the calls whose output it needs. */
  readonly dependsOn: readonly string[];
  /** Its failure is no failure of the turn. */
  readonly optional: boolean;
  /** Losing it escalates the whole turn. */
  readonly critical: boolean;
  /** Settings of this call alone. */
  readonly policy: unknown;
  /** Where the call is now, or how it ended. */
  readonly status: CallStatus;
  /** When it started, in milliseconds from the start of the turn; undefined before that. */
  readonly startedMs: number | undefined;
  /** When it ended, in milliseconds from the start of the turn; undefined before that. */
  readonly endedMs: number | undefined;
  /** The tool that is called now: an alternative's name once one took over. */
  readonly currentTool: string;
  /** The current tool's attempt; 0 before the first. */
  readonly attempt: number;
  /** Attempts the current tool may have; known from its first decision on. */
  readonly maxAttempts: number | undefined;
  /** Attempts of all tools that were called for it, hedges included. */
  readonly attempts: number;
  /** Attempts beyond the first of each tool, without hedges. */
  readonly retries: number;
  /** What its time was spent on, in the order in which it began; late work may overlap. */
  readonly segments: readonly Segment[];
  /** Failed attempts and refusals, oldest first. */
  readonly failures: readonly FailureView[];
  /** Decisions about its failures, oldest first. */
  readonly decisions: readonly DecisionView[];
  /** Alternatives that were called for it, in order. */
  readonly alternatives: readonly string[];
  /** The dependencies that a default stood in for; '' is the tool's own fallback. */
  readonly defaults: readonly string[];
  /** Why it was skipped; undefined when it was not. */
  readonly skip: Skip | undefined;
  /** The message of its escalation, the one for the user where there is one; undefined when it was not escalated. */
  readonly escalation: string | undefined;
  /** Progress of the running attempt; undefined before the first report and once the attempt or the call has ended. */
  readonly progress: ProgressView | undefined;
  /** What became of work that outlived its attempt. */
  readonly late: 'running' | 'late_success' | 'late_failure' | 'abandoned' | undefined;
  /** Its result; undefined while it lasts. */
  readonly end: CallEnd | undefined;
  /** As captured; `undefined`: nothing was. */
  readonly input: unknown;
  /** As captured; `undefined`: nothing was. */
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
  /** Id of the call that brought the change; '' when none did. */
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

/** One turn: its plan, its calls, its circuits, its end. */
export interface TurnView {
  /** '' before the first event. */
  readonly turnId: string;
  /** `empty` before the first event, `completed` after the last one but late work. */
  readonly status: 'empty' | 'running' | 'completed';
  /** How the turn ended; undefined while it runs. */
  readonly outcome: TurnOutcome | undefined;
  /** ISO 8601; the timestamp of the first event. */
  readonly startedAt: string;
  /** Of the latest event. */
  readonly elapsedMs: number;
  /** How long the whole turn took, in milliseconds; undefined while it runs. */
  readonly durationMs: number | undefined;
  /** The soft deadline; undefined: none, or the trace has lost it. */
  readonly timeoutMs: number | undefined;
  /** When the deadline passed, in milliseconds from its start; undefined when that did not happen. */
  readonly deadlineReachedMs: number | undefined;
  /** When the caller cancelled it, in milliseconds from its start; undefined when that did not happen. */
  readonly cancelledMs: number | undefined;
  /** What the deadline does to running attempts: `detach` lets them finish, `abort` ends them. */
  readonly onDeadline: 'detach' | 'abort';
  /** Retries of all calls together; undefined: no limit, or the trace has lost it. */
  readonly maxRetries: number | undefined;
  /** Calls that may run at the same time; undefined: no limit, or the trace has lost it. */
  readonly concurrency: number | undefined;
  /** Name of the profile that the settings are based on; '' before the turn started. */
  readonly profile: string;
  /** Seed of all random parts, such as jitter; '' before the turn started. */
  readonly seed: string;
  /** In plan order. */
  readonly calls: readonly CallView[];
  /** Changes of circuits during the turn, oldest first. */
  readonly circuits: readonly CircuitChangeView[];
  /** Circuits that were not closed when the turn began. */
  readonly circuitsAtStart: readonly { readonly toolName: string; readonly state: CircuitState }[];
  /** As recorded; empty while the turn runs. */
  readonly criticalPath: readonly string[];
  /** The turn in one sentence; '' while it runs. */
  readonly summary: string;
  /** One of its calls was escalated. */
  readonly escalated: boolean;
  /** Components and hooks that failed while the turn continued. */
  readonly faults: readonly string[];
  /** Settings by tool, as recorded. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** Settings of tools that are not in `settings`, as recorded. */
  readonly baseSettings: unknown;
  /** A call outside any turn: it has no plan, and its end is the end of the trace. */
  readonly single: boolean;
  /** Number of events. */
  readonly events: number;
  /** Grows with every event of the turn. */
  readonly revision: number;
}
