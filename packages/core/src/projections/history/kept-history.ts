/**
 * Owns the port to whatever keeps the history beyond the process, and the words of what is kept. Does not own the folding, nor what is kept of alerts (`kept-alerts.ts`).
 *
 * Invariants every one keeps (checked by `historyContract` in `@holdfast/core/testing`)
 * 1. `write` never throws and never waits. A batch is kept whole or not at all, and counted once, however often it had to be tried.
 * 2. Several processes may keep one history: their cells and clusters add up, of their turns and changes none is lost.
 * 3. What was counted is in every series, however it was rolled up since; what is older than the retention is gone.
 * 4. A read sees what this process wrote before. One that fails answers as if nothing were known, and `status` says why; only what is asked of alerts and cursors rejects.
 * 5. Memory is bounded: what cannot be written is kept for a while, then counted in `dropped`.
 */
import type { Cell } from './cell.ts';
import type { ToolCircuitChange } from './circuit-fold.ts';
import type { HistoryBatch } from './history.ts';
import type { AlertRecords } from './kept-alerts.ts';
import type { CursorMark, HistoryLease, LeaseListener } from './lease.ts';
import type { CallRecord, ChangeRecord, CircuitChange, ClusterRecord, FailureRecord, TurnRecord } from './records.ts';
import type { Soon } from './maybe-promise.ts';

/** A change as it is kept; alerts and upstreams have kinds of their own. */
export interface KeptChange extends Omit<ChangeRecord, 'kind' | 'tool'> {
  /** Grows by one. */
  readonly id: number;
  /** What changed; the kinds of `ChangeRecord` and those of the program that keeps the history. */
  readonly kind: string;
  /** Name of the tool; absent where the change belongs to none. */
  readonly tool?: string;
  /** Fingerprint of the alert; absent for other changes. */
  readonly fingerprint?: string;
}

/** What a fold has handed out, and what has changed. */
export interface HistoryWrite extends HistoryBatch {
  /** What has changed, for a list of news: circuits, new failures, alerts, upstreams. */
  readonly changes: readonly KeptChange[];
}

/** Which part of a tool's past to read, and in which steps. */
export interface SeriesQuery {
  /** Milliseconds since 1970. */
  readonly since: number;
  /** The end, not included, milliseconds since 1970. */
  readonly until: number;
  /** A multiple of a level's step. */
  readonly stepMs: number;
}

/** Which turns to list; a turn has to match every field that is given. */
export interface FactsQuery {
  /** Turns to answer with at most. */
  readonly limit: number;
  /** The last turn of the page before. */
  readonly after?: TurnPlace | undefined;
  /** Milliseconds since 1970: those that began then or later, and before. */
  readonly since?: number | undefined;
  /** Only turns that began before this, milliseconds since 1970. */
  readonly before?: number | undefined;
  /** Only turns that called this tool. */
  readonly tool?: string | undefined;
  /** Only turns in which an attempt or a call failed with this error code. */
  readonly code?: string | undefined;
  /** Only turns that ended with one of these outcomes. */
  readonly outcome?: readonly string[] | undefined;
  /** Only turns with a retry, or with `false` without any. */
  readonly retried?: boolean | undefined;
  /** Only turns that missed their deadline, or with `false` those that did not. */
  readonly deadline?: boolean | undefined;
  /** Only turns in which arguments or a transcript were repaired, or with `false` the others. */
  readonly repaired?: boolean | undefined;
  /** Only turns in which an alternative was called, or with `false` the others. */
  readonly alternative?: boolean | undefined;
  /** The beginning of its id, or part of its summary. No index helps: give `downTo` too, and search piece by piece. */
  readonly text?: string | undefined;
  /** Only turns that come before this one, newest first, and this one itself. */
  readonly downTo?: TurnPlace | undefined;
}

/** The place of a turn in lists, which are in the order of these two. */
export interface TurnPlace {
  /** When the turn began, milliseconds since 1970. */
  readonly startedAt: number;
  /** Id of the record, as in `KeptTurn`. */
  readonly id: number;
}

/** A turn as it is kept. */
export interface KeptTurn extends TurnRecord {
  /** Id of the record; with `started_at` it is the place of the turn in lists. */
  readonly id: number;
}

/** Whether the history can be kept. */
export interface HistoryStatus {
  /** False while the store fails. */
  readonly ok: boolean;
  /** Records that could not be kept. */
  readonly dropped: number;
  /** Why the store fails; absent while it does not. */
  readonly problem?: string;
}

/** Where what the folds hand out goes, and what can be asked of it later. */
export interface KeptHistory {
  /** Where it is kept, without secrets. */
  readonly path: string;
  /** How long records are kept, in days. */
  readonly retentionDays: number;
  /** What is kept of alerts, in the same place. */
  readonly alerts: AlertRecords;
  /** Hands over what is to be written; it is written soon, in one transaction. With `mark`, only while that lease is held. */
  write(batch: HistoryWrite, mark?: CursorMark): void;
  /** Writes what waits and does what is due, now. */
  flush(): Soon<void>;
  /** Rolls up and deletes what is due, a little at a time. */
  tidy(): void;
  /** Cells by the begin of their step. */
  series(tool: string, query: SeriesQuery): Soon<ReadonlyMap<number, Cell>>;
  /** Newest first. */
  turns(query: FactsQuery): Soon<readonly KeptTurn[]>;
  /** The turn so many places further back; `undefined` where there are not so many. */
  turnsBack(after: TurnPlace | undefined, count: number): Soon<TurnPlace | undefined>;
  /** A turn by its id and the time of its first event; `undefined` when it is not kept. */
  facts(turnId: string, startedAt: number): Soon<KeptTurn | undefined>;
  /** The oldest first. */
  circuitChanges(tool: string, since: number): Soon<readonly CircuitChange[]>;
  /** The last change of a tool's circuit before `at`, milliseconds since 1970; `undefined` when none is kept. */
  circuitChangeBefore(tool: string, at: number): Soon<CircuitChange | undefined>;
  /** The last change of each circuit. */
  lastCircuitChanges(): Soon<readonly ToolCircuitChange[]>;
  /** Those seen longest ago first. */
  clusters(limit: number): Soon<readonly ClusterRecord[]>;
  /** Newest first. */
  failures(tool: string, since: number): Soon<readonly FailureRecord[]>;
  /** The slowest first. */
  slowCalls(tool: string, since: number, limit: number): Soon<readonly CallRecord[]>;
  /** Newest first. */
  changes(limit: number): Soon<readonly KeptChange[]>;
  /** The last ids that were given. */
  lastIds(): Soon<{ readonly change: number; readonly circuitChange: number }>;
  /** Whether the history can be kept, and what was lost; asks nothing of the store. */
  status(): HistoryStatus;
  /** Of what is kept, as known last; 0 in memory. */
  bytes(): number;
  /** Writes what waits, for a limited time, and lets go. Leases are given back. */
  close(): Soon<void>;
  /**
   * Asks for what only one of several processes may do, and continues asking until it is released. Absent where processes cannot tell
   * each other's death.
   */
  lease?(name: string, listener?: LeaseListener): HistoryLease;
  /** What was written last under the lease of this name. Rejects where that cannot be read: where to continue is not to be guessed. */
  cursor?(name: string): Soon<string | undefined>;
}
