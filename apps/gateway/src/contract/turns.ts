/** Owns the types of turns and of their events. Types only. */
import type { TraceEvent } from '@holdfast/core';
import type { TurnFacts } from '@holdfast/core/history';
import type { FailureWords, ReportWords, ResultWords } from '@holdfast/manifest';

/**
 * How a turn ended. `success`: every required call succeeded. `deadline`: its time was up before all calls had ended. `partial` and `failed`: a
 * required call failed, and some or no other succeeded.
 */
export type TurnOutcome = 'success' | 'partial' | 'failed' | 'deadline' | 'cancelled';
/** State of a turn. `interrupted`: its process ended before the turn did, and no other process has continued it. */
export type TurnState = 'running' | 'completed' | 'interrupted';

/** The report of a turn that has ended, as `POST /v1/turns` answers it. */
export type TurnReport = ReportWords;

/** A report built from the trace because the original is no longer kept. Contains only the outputs that the trace has captured. */
export interface TracedReport extends Omit<ReportWords, 'results'> {
  /** Results of the calls that ended, in the order of the plan. */
  readonly results: readonly TracedResult[];
  /** Distinguishes this report from a `TurnReport`. */
  readonly from_trace: true;
}

/** A result built from the trace. `output` is absent if the trace did not capture it. */
export interface TracedResult extends Omit<ResultWords, 'error'> {
  /** Why the call failed. Fields beside `code` and `message` are present as far as the trace has them. */
  readonly error?: Pick<FailureWords, 'code' | 'message'> & Partial<FailureWords>;
}

/** Answer to `POST /v1/turns?wait=false`. */
export interface TurnAccepted {
  /** Id of the turn. */
  readonly turn_id: string;
  /** State of the turn when the request was answered. */
  readonly state: TurnState;
}

/** One run of a turn in a list. */
export interface TurnItem {
  /** Id of the turn. */
  readonly turn_id: string;
  /** Distinguishes the runs of a turn id in the store, since an id may be used again. */
  readonly run: number;
  /** When the turn began, ISO 8601 in UTC. */
  readonly started_at: string;
  /** When the turn ended, ISO 8601 in UTC. Absent unless it is completed. */
  readonly ended_at?: string;
  /** Whether the turn runs, has ended, or was interrupted. */
  readonly state: TurnState;
  /** How the turn ended. Absent unless it is completed. */
  readonly outcome?: TurnOutcome;
  /** The result of the turn in one sentence. Absent unless it is completed. */
  readonly summary?: string;
  /** Number of planned calls, or of completed ones if there are more. */
  readonly calls: number;
  /** Number of events in its trace. */
  readonly events: number;
  /** Facts from the history. Absent for turns of other programs, and for turns that are older than the history. */
  readonly facts?: TurnFacts;
}

/** `GET /v1/turns`: one page of the recorded turns. */
export interface TurnPage {
  /** Newest first. */
  readonly turns: readonly TurnItem[];
  /** Pass it as `cursor` to get the next page. Absent on the last page. A short or even empty page may have one. */
  readonly next_cursor?: string;
}

/** Two moments between which a process stopped: the exact one is not recorded. */
export interface StoppedBetween {
  /** Its last sign of life, ISO 8601 in UTC. */
  readonly after: string;
  /** When its next sign of life was overdue, ISO 8601 in UTC. */
  readonly before: string;
}

/** `GET /v1/turns/{turn_id}`: one run of a turn with its report and events. */
export interface TurnDetail {
  /** Id of the turn. */
  readonly turn_id: string;
  /** Identifies this run within the store, since a turn id may be used again. */
  readonly run: number;
  /** Whether the turn runs, has ended, or was interrupted. */
  readonly state: TurnState;
  /** When the turn began, ISO 8601 in UTC. */
  readonly started_at: string;
  /** When the process of an interrupted turn stopped. Absent for other turns. */
  readonly stopped?: StoppedBetween;
  /** Absent while the turn runs. */
  readonly report?: TurnReport | TracedReport;
  /** Events of the trace in the order of `seq`. */
  readonly events: readonly TraceEvent[];
  /** Pass it as `after` to get the next events. Absent if these are the last. */
  readonly next_after?: number;
}

/** Answer to `POST /v1/turns/{turn_id}/cancel`. */
export interface CancelledTurn {
  /** Id of the turn. */
  readonly turn_id: string;
  /** State of the turn after the request. */
  readonly state: TurnState;
  /** How the turn ended. */
  readonly outcome?: TurnOutcome;
  /** The result of the turn in one sentence. */
  readonly summary?: string;
}

/** The last message of an event stream: `end` when the turn has ended, `resume` when the client has to connect again with the last id. */
export interface StreamEnd {
  /** Id of the turn. */
  readonly turn_id: string;
  /** `seq` of the last event that was sent. Pass it as `after`, or as `Last-Event-ID`, to continue after it. */
  readonly last_seq: number;
  /** How the turn ended. Absent unless it has ended. */
  readonly outcome?: TurnOutcome;
  /** Why the stream ends before the turn: the reader is too slow, or the gateway is shutting down. Absent when the turn has ended. */
  readonly reason?: 'slow_reader' | 'draining';
}
