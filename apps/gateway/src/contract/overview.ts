/** Owns the types of the overview and of the live stream. Types only. */
import type { FailureRecord } from '@holdfast/core/history';
import type { AlertItem } from './alerts.ts';
import type { CircuitMode, CircuitState, ToolSource } from './tools.ts';
import type { TurnItem } from './turns.ts';

/**
 * The status of a tool. `failing`: its failure rate is significantly above the limit, an alert says so, or its circuit is open and no alternative or default answers
 * its calls. `recovering`: its circuit is half-open. `degraded`: its callers have their answers, but a server's Retry-After holds its calls, they succeed only with
 * retries or alternatives, another alert fires for it, or its upstream does not answer; or the circuits of single clients of an isolated server are open.
 * `idle`: no call in the window.
 */
export type ToolStatus = 'failing' | 'recovering' | 'degraded' | 'ok' | 'idle';

/** Calls of a period, by how they ended. `failed` does not include cancelled calls. */
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
  /** Not run: a call that they depend on failed, or no time was left. `calls` is the sum of all of these except `refused`. */
  readonly skipped: number;
  /** The request was wrong: invalid arguments or an unknown tool. Does not count as a failure of the tool. */
  readonly rejected: number;
  /** Refused by Holdfast before an attempt. Included in `failed`. */
  readonly refused: number;
  /** Calls of other tools that this one answered, as their alternative. Not included in `calls`. */
  readonly served: number;
}

/** A share with its absolute numbers and bounds, so that few observations are recognizable. */
export interface Share {
  /** The counted part, such as failed calls. */
  readonly part: number;
  /** The total, such as all calls. */
  readonly whole: number;
  /** `part / whole`; 0 if `whole` is 0. */
  readonly share: number;
  /** Lower bound of the 95 % Wilson interval. */
  readonly low: number;
  /** Upper bound of the 95 % Wilson interval; 1 if `whole` is 0. */
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

/** One tool on the overview. */
export interface ToolTile {
  /** Name of the tool. */
  readonly name: string;
  /** Where the tool comes from. */
  readonly source: ToolSource;
  /** Status of the tool, from the last five minutes. */
  readonly status: ToolStatus;
  /** Why it has that status, as a sentence. */
  readonly status_reason: string;
  /** Since when it has been failing, recovering or degraded, ISO 8601 in UTC; a change among the three does not start anew. Absent for other statuses. */
  readonly trouble_since?: string;
  /** Its upstream does not answer. */
  readonly degraded: boolean;
  /** `null`: it has no circuit breaker. */
  readonly circuit: CircuitState | null;
  /** Manual control of the circuit. */
  readonly mode: CircuitMode;
  /** Clients of an isolated server whose own circuit is open, or half-open. Absent when there are none. */
  readonly client_circuits_open?: number;
  /** Milliseconds until a call may be admitted again. Absent when one may be now, or when that is not known. */
  readonly retry_after_ms?: number;
  /** Until when a server's Retry-After holds calls, whatever the state of the circuit, ISO 8601 in UTC. Absent when it holds none. */
  readonly held_until?: string;
  /** Attempts that run now, orphans included. */
  readonly in_flight: number;
  /** Attempts that timed out and are still running. */
  readonly orphaned: number;
  /** Calls that wait for admission. */
  readonly queued: number;
  /** Calls of the last five minutes, by how they ended. */
  readonly counts: CallCounts;
  /** Share of failed calls among those that were neither cancelled, skipped nor rejected. */
  readonly failure: Share;
  /** Share of the retried calls that succeeded. */
  readonly retry_success: Share;
  /** Duration of calls, over all their attempts. Absent without calls. */
  readonly latency?: Latencies;
  /** Calls of the last two minutes in 24 buckets of five seconds, the oldest first. */
  readonly recent: readonly RecentBucket[];
  /** The end of the last bucket of `recent`. */
  readonly recent_until: string;
  /** The latest known failure of the tool, however old. Absent when none is known. */
  readonly last_failure?: FailureRecord;
}

/** Number of first-try, recovered and failed calls. */
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

/** A change of state, for the list of changes. */
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
  readonly tool_id?: string;
  /** Turn of the event that caused the change. Absent when no turn did. */
  readonly turn_id?: string;
  /** Call of the event that caused the change. Absent when no call did. */
  readonly call_id?: string;
  /** Failure cluster of a `new_failure`. Absent for other changes. */
  readonly signature?: string;
  /** Alert of an `alert_firing` or `alert_resolved`. Absent for other changes. */
  readonly fingerprint?: string;
}

/** The latest run of a turn, also while it is running. */
export type TurnBrief = Omit<TurnItem, 'run'>;

/** What the gateway as a whole did in the last five minutes, and what it stores. */
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
  /** Number of circuits that are open now, or half-open. */
  readonly circuits_open: number;
  /** Servers at which someone has to log in, and how. Absent when there are none. */
  readonly logins_required?: readonly { readonly server: string; readonly reason: string }[];
  /** Number of servers' tools that are not offered, because the lock file blocks them. Absent when there are none. */
  readonly tools_withheld?: number;
  /** When this process started, ISO 8601 in UTC. */
  readonly started_at: string;
  /** Version of Holdfast. */
  readonly version: string;
  /** State of the trace store; `dropped` is the number of events that it could not keep. Absent when no traces are kept. */
  readonly store?: { readonly ok: boolean; readonly dropped: number; readonly problem?: string };
  /** Size and retention of the history. Absent if it is kept in memory only. */
  readonly history?: { readonly bytes: number; readonly retention_days: number };
}

/** `GET /v1/overview`: the present state of everything the dashboard shows first. */
export interface Overview {
  /** When the overview was created, ISO 8601 in UTC. */
  readonly at: string;
  /** Pass it to the live stream as `after` to continue from here. */
  readonly cursor: string;
  /** What the gateway did as a whole. */
  readonly totals: Totals;
  /** All tools; failing ones first, then by name. */
  readonly tools: readonly ToolTile[];
  /** The latest 50, newest first. */
  readonly changes: readonly ChangeItem[];
  /** Firing alerts first, then pending, then resolved ones; the newest first within each state. */
  readonly alerts: readonly AlertItem[];
  /** The latest 20, newest first. */
  readonly turns: readonly TurnBrief[];
}

/**
 * `GET /v1/live`: server-sent events named `change`, with the cursor as id. Contains the changes since the cursor, at most ten messages a second and only the latest
 * state of each item: a client that reconnects late gets one message. `reset`: the cursor is from another process or too old, and the message contains everything.
 */
export interface LiveMessage {
  /** Place of this message in the stream. Pass it as `after`, or as `Last-Event-ID`, to continue from here. */
  readonly cursor: string;
  /** When the message was created, ISO 8601 in UTC. */
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

/** `GET /v1/session`: what the caller may do. */
export interface ClientSession {
  /** Whether the caller may control circuits, silence and acknowledge alerts, and test receivers. */
  readonly can_act: boolean;
  /** `call`: calls tools and sees its own turns. `read`: sees the turns, the history and the alerts of all clients. `operate`: acts. */
  readonly roles: readonly ('call' | 'read' | 'operate')[];
  /** Whether reading requires a token, too. */
  readonly needs_token: boolean;
  /** Whether MCP servers here need logins of people. Absent when none does. */
  readonly has_logins?: boolean;
  /** Name of the caller's token. Absent when the caller has none. */
  readonly principal?: string;
  /** Version of Holdfast. */
  readonly version: string;
}
