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
  readonly calls: number;
  /** Succeeded at the first attempt. */
  readonly first_try: number;
  /** Succeeded after a retry, by an alternative or by a default. */
  readonly recovered: number;
  readonly failed: number;
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
  readonly part: number;
  readonly whole: number;
  /** `part / whole`, 0 when there is nothing. */
  readonly share: number;
  /** Wilson 95 % bounds. */
  readonly low: number;
  readonly high: number;
}

export interface Latencies {
  readonly p50_ms: number;
  readonly p95_ms: number;
  readonly p99_ms: number;
  readonly mean_ms: number;
}

/** A failure of a tool, with the way to its record. */
export interface FailurePointer {
  readonly at: string;
  readonly turn_id: string;
  readonly call_id: string;
  /** 0: no attempt was made. */
  readonly attempt: number;
  readonly code: string;
  readonly message: string;
  /** Why nothing more was tried: a decision's `stopped_by`, `not_retryable`, or absent where the call succeeded in the end. */
  readonly stopped_by?: string;
  /** The failure cluster it belongs to. */
  readonly signature?: string;
}

/** One tool on the overview. */
export interface ToolTile {
  readonly name: string;
  readonly source: ToolSource;
  readonly status: ToolStatus;
  /** Why it has that status, in a sentence. */
  readonly status_reason: string;
  /** Its upstream does not answer. */
  readonly degraded: boolean;
  /** `null`: it has no circuit breaker. */
  readonly circuit: CircuitState | null;
  readonly mode: CircuitMode;
  readonly retry_after_ms?: number;
  readonly in_flight: number;
  readonly orphaned: number;
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
  readonly last_failure?: FailurePointer;
}

/** First-try, recovered, failed. */
export type RecentBucket = readonly [firstTry: number, recovered: number, failed: number];

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
  readonly at: string;
  readonly kind: ChangeKind;
  readonly text: string;
  readonly tool_id?: string;
  readonly turn_id?: string;
  readonly call_id?: string;
  readonly signature?: string;
  readonly fingerprint?: string;
}

/** A turn as it is known while it happens: its latest run. */
export type TurnBrief = Omit<TurnItem, 'run'>;

/** What the gateway has done altogether in the last five minutes, and what it keeps. */
export interface Totals {
  readonly tools: number;
  readonly turns_per_minute: number;
  readonly calls: CallCounts;
  readonly deadlines_missed: number;
  readonly alerts_firing: number;
  readonly circuits_open: number;
  readonly started_at: string;
  readonly version: string;
  readonly store?: { readonly ok: boolean; readonly dropped: number; readonly problem?: string };
  /** Bytes and days of the history; absent where it is kept in memory only. */
  readonly history?: { readonly bytes: number; readonly retention_days: number };
}

export interface Overview {
  readonly at: string;
  /** Hand it to the live stream as `after`: it continues from here. */
  readonly cursor: string;
  readonly totals: Totals;
  /** All of them; failing ones first, then by name. */
  readonly tools: readonly ToolTile[];
  /** The latest 50, newest first. */
  readonly changes: readonly ChangeItem[];
  readonly alerts: readonly AlertItem[];
  /** The latest 20, newest first. */
  readonly turns: readonly TurnBrief[];
}

/**
 * `GET /v1/live`, server-sent events named `change`; the id is the cursor. What has changed since the cursor, at most ten a second and only the latest of each
 * thing, so that anyone who comes back late gets one message with the present. `reset`: the cursor is of another process, or too old; this message holds everything.
 */
export interface LiveMessage {
  readonly cursor: string;
  readonly at: string;
  readonly reset?: true;
  readonly totals: Totals;
  readonly tools: readonly ToolTile[];
  readonly removed_tools?: readonly string[];
  readonly changes: readonly ChangeItem[];
  /** All alerts that are not resolved, when one of them has changed. */
  readonly alerts?: readonly AlertItem[];
  readonly turns: readonly TurnBrief[];
}

/** What the caller may do here. */
export interface ClientSession {
  /** Circuits, silences, acknowledgements, tests of receivers. */
  readonly can_act: boolean;
  /** A token is needed to read, too. */
  readonly needs_token: boolean;
  readonly principal?: string;
  readonly version: string;
}
