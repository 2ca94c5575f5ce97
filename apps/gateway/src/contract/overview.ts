/** Owns the shapes of the overview and of the live stream. Types only. */
import type { AlertItem } from './alerts.ts';
import type { CircuitMode, CircuitState, ToolSource } from './tools.ts';
import type { TurnItem } from './turns.ts';

/**
 * How a tool is, in one word. `failing`: its failure rate is above the limit with enough calls to mean it, or its circuit is open. `recovering`: its circuit is
 * half-open. `degraded`: its calls succeed, and need retries or alternatives for it, or its upstream does not answer. `idle`: no call in the window.
 */
export type ToolStatus = 'failing' | 'recovering' | 'degraded' | 'ok' | 'idle';

/** Calls of a time, by how they ended. `failed` holds no cancelled calls. */
export interface CallCounts {
  /** All calls that ended. */
  readonly calls: number;
  /** Succeeded at the first attempt. */
  readonly first_try: number;
  /** Succeeded after a retry, by an alternative or by a default. */
  readonly recovered: number;
  /** Failed calls. Cancelled, skipped and rejected calls are not among them. */
  readonly failed: number;
  /** Calls that the caller cancelled. */
  readonly cancelled: number;
  /** Not run: a call that they depend on was lost, or no time was left for them. `calls` is the sum of all of these but `refused`. */
  readonly skipped: number;
  /** The request itself was at fault: arguments that do not fit, a tool that is not there. It says nothing about the tool. */
  readonly rejected: number;
  /** Refused by our own admission, and failed for it. They are among `failed`. */
  readonly refused: number;
}

/** A share with what it was made from, so that small numbers are seen to be small. */
export interface Share {
  /** The number of those counted, such as failed calls. */
  readonly part: number;
  /** The number they are a part of, such as all calls. */
  readonly whole: number;
  /** `part / whole`, 0 when there is nothing. */
  readonly share: number;
  /** Wilson 95 % bounds. */
  readonly low: number;
  /** Upper Wilson 95 % bound; 1 when there is nothing. */
  readonly high: number;
}

/** Percentiles and mean of the duration of calls, over all their attempts and waits. */
export interface Latencies {
  /** Median, in milliseconds. */
  readonly p50_ms: number;
  /** 95th percentile, in milliseconds. */
  readonly p95_ms: number;
  /** 99th percentile, in milliseconds. */
  readonly p99_ms: number;
  /** Mean, in milliseconds. */
  readonly mean_ms: number;
}

/** A failure of a tool, with the way to its record. */
export interface FailurePointer {
  /** When it happened, ISO 8601 in UTC. */
  readonly at: string;
  /** Id of the turn. */
  readonly turn_id: string;
  /** Id of the call. */
  readonly call_id: string;
  /** 0: no attempt was made. */
  readonly attempt: number;
  /** Error code of the failure. */
  readonly code: string;
  /** Error message of the failure, at most 500 characters. */
  readonly message: string;
  /** Why nothing more was tried: a decision's `stopped_by`, `not_retryable`, or absent where the call succeeded in the end. */
  readonly stopped_by?: string;
  /** The failure cluster it belongs to. */
  readonly signature?: string;
}

/** One tool on the overview. */
export interface ToolTile {
  /** Name of the tool. */
  readonly name: string;
  /** Where the tool comes from. */
  readonly source: ToolSource;
  /** How the tool is, judged by the last five minutes. */
  readonly status: ToolStatus;
  /** Why it has that status, in a sentence. */
  readonly status_reason: string;
  /** Its upstream does not answer. */
  readonly degraded: boolean;
  /** `null`: it has no circuit breaker. */
  readonly circuit: CircuitState | null;
  /** Manual control of the circuit. */
  readonly mode: CircuitMode;
  /** Milliseconds until a call may be admitted again. Absent when one may be now, or when that is not known. */
  readonly retry_after_ms?: number;
  /** Attempts that run now, orphans included. */
  readonly in_flight: number;
  /** Attempts that timed out and are still running. */
  readonly orphaned: number;
  /** Calls that wait for admission. */
  readonly queued: number;
  /** Of the last five minutes. */
  readonly counts: CallCounts;
  /** Failed ones of those that were neither cancelled, skipped nor rejected. */
  readonly failure: Share;
  /** Of calls that were retried, those that succeeded. */
  readonly retry_success: Share;
  /** Of calls, over all their attempts; absent where there were none. */
  readonly latency?: Latencies;
  /** Calls of the last two minutes in 24 buckets of five seconds, the oldest first. */
  readonly recent: readonly RecentBucket[];
  /** The end of the last bucket of `recent`. */
  readonly recent_until: string;
  /** The latest known failure of the tool, however old. Absent when none is known. */
  readonly last_failure?: FailurePointer;
}

/** First-try, recovered, failed. */
export type RecentBucket = readonly [firstTry: number, recovered: number, failed: number];

/** What changed. */
export type ChangeKind =
  | 'circuit_opened'
  | 'circuit_half_opened'
  | 'circuit_closed'
  | 'alert_firing'
  | 'alert_resolved'
  | 'new_failure'
  | 'tool_added'
  | 'tool_removed'
  | 'upstream_down'
  | 'upstream_up'
  | 'operator_action';

/** Something that is otherwise than before, for "what changed". */
export interface ChangeItem {
  /** Grows by one. */
  readonly id: number;
  /** When it happened, ISO 8601 in UTC. */
  readonly at: string;
  /** What changed. */
  readonly kind: ChangeKind;
  /** The change in one sentence. */
  readonly text: string;
  /** Tool that the change is about. Absent for an upstream, and for an alert without the label `tool`. */
  readonly tool?: string;
  /** Turn of the event that caused the change. Absent when no turn did. */
  readonly turn_id?: string;
  /** Call of the event that caused the change. Absent when no call did. */
  readonly call_id?: string;
  /** Failure cluster of a `new_failure`. Absent for other changes. */
  readonly signature?: string;
  /** Alert of an `alert_firing` or `alert_resolved`. Absent for other changes. */
  readonly fingerprint?: string;
}

/** A turn as it is known while it happens: its latest run. */
export type TurnBrief = Omit<TurnItem, 'run'>;

/** What the gateway has done altogether in the last five minutes, and what it keeps. */
export interface Totals {
  /** Number of tools that can be called. */
  readonly tools: number;
  /** Turns that ended in the last five minutes, per minute. */
  readonly turns_per_minute: number;
  /** Calls of all tools in the last five minutes, by how they ended. */
  readonly calls: CallCounts;
  /** Turns of the last five minutes that missed their deadline. */
  readonly deadlines_missed: number;
  /** Number of alerts that fire now. */
  readonly alerts_firing: number;
  /** Number of circuits that are open now. */
  readonly circuits_open: number;
  /** When this process started, ISO 8601 in UTC. */
  readonly started_at: string;
  /** Version of Holdfast. */
  readonly version: string;
  /** State of the trace store; `dropped` is the number of events that it could not keep. Absent when no traces are kept. */
  readonly store?: { readonly ok: boolean; readonly dropped: number; readonly problem?: string };
  /** Bytes and days of the history; absent where it is kept in memory only. */
  readonly history?: { readonly bytes: number; readonly retention_days: number };
}

/** `GET /v1/overview`: the present state of everything the dashboard shows first. */
export interface Overview {
  /** When the overview was made, ISO 8601 in UTC. */
  readonly at: string;
  /** Hand it to the live stream as `after`: it continues from here. */
  readonly cursor: string;
  /** What the gateway did as a whole. */
  readonly totals: Totals;
  /** All of them; failing ones first, then by name. */
  readonly tools: readonly ToolTile[];
  /** The latest 50, newest first. */
  readonly changes: readonly ChangeItem[];
  /** Firing alerts first, then pending, then resolved ones; the newest first within each state. */
  readonly alerts: readonly AlertItem[];
  /** The latest 20, newest first. */
  readonly turns: readonly TurnBrief[];
}

/**
 * `GET /v1/live`, server-sent events named `change`; the id is the cursor. What has changed since the cursor, at most ten a second and only the latest of each
 * thing, so that anyone who comes back late gets one message with the present. `reset`: the cursor is of another process, or too old; this message holds everything.
 */
export interface LiveMessage {
  /** Place of this message in the stream. Pass it as `after`, or as `Last-Event-ID`, to continue from here. */
  readonly cursor: string;
  /** When the message was made, ISO 8601 in UTC. */
  readonly at: string;
  /** `true` if the message replaces everything known before. */
  readonly reset?: true;
  /** What the gateway did as a whole, as in every message. */
  readonly totals: Totals;
  /** Tools that changed. With `reset`: all of them. */
  readonly tools: readonly ToolTile[];
  /** Names of tools that can no longer be called. Absent when there are none. */
  readonly removed_tools?: readonly string[];
  /** Changes since the cursor, the oldest first. With `reset`: the latest 50. */
  readonly changes: readonly ChangeItem[];
  /** All alerts that are not resolved, when one of them has changed. */
  readonly alerts?: readonly AlertItem[];
  /** Turns that changed, the newest first. With `reset`: the latest 20. */
  readonly turns: readonly TurnBrief[];
}

/** What the caller may do here. */
export interface ClientSession {
  /** Circuits, silences, acknowledgements, tests of receivers. */
  readonly can_act: boolean;
  /** A token is needed to read, too. */
  readonly needs_token: boolean;
  /** Name of the caller's token. Absent when the caller has none. */
  readonly principal?: string;
  /** Version of Holdfast. */
  readonly version: string;
}
