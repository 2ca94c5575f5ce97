/**
 * Owns the port to a store that keeps the history beyond the process, and the types of its records. Does not own the folds, nor alert records (`kept-alerts.ts`).
 *
 * Invariants of every implementation (checked by `historyContract` in `@holdfast/core/testing`)
 * 1. `write` never throws and never waits. A batch is stored completely or not at all, and counted once, regardless of how often it was tried.
 * 2. Several processes may share one history: their cells and clusters add up, and none of their turns and changes is lost.
 * 3. Every series contains everything that was counted, regardless of roll-ups since. Records older than the retention are deleted.
 * 4. A read sees what this process wrote before. A failed read returns an empty result, and `status` has the reason; only reads of alerts and cursors reject.
 * 5. Memory is bounded: records that cannot be written are kept for a while, then counted in `dropped`.
 */
import type { Cell } from './cell.ts';
import type { ToolCircuitChange } from './circuit-fold.ts';
import type { HistoryBatch } from './history.ts';
import type { AlertRecords } from './kept-alerts.ts';
import type { CursorMark, HistoryLease, LeaseListener } from './lease.ts';
import type { CallRecord, ChangeRecord, CircuitChange, ClusterRecord, FailureRecord, TurnRecord } from './records.ts';
import type { MaybePromise } from './maybe-promise.ts';

/** A stored change; alerts and upstreams add further kinds. */
export interface KeptChange extends Omit<ChangeRecord, 'kind' | 'tool_id'> {
  /** Grows by one. */
  readonly id: number;
  /** What changed: a kind of `ChangeRecord`, or one of the program that stores the history. */
  readonly kind: string;
  /** Name of the tool; absent where the change belongs to none. */
  readonly tool_id?: string;
  /** Fingerprint of the alert; absent for other changes. */
  readonly fingerprint?: string;
}

/** A batch of the fold, with the changes. */
export interface HistoryWrite extends HistoryBatch {
  /** Changes for an activity list: circuits, new failures, alerts, upstreams. */
  readonly changes: readonly KeptChange[];
}

/** Counts the records of a batch. */
export function countRecords(batch: HistoryWrite): number {
  const { cells, turns, circuitChanges, clusters, failures, slowCalls, changes } = batch;
  return cells.length + turns.length + circuitChanges.length + clusters.length + failures.length + slowCalls.length + changes.length;
}

/** The methods of `KeptHistory` that read. */
export type HistoryReads =
  | 'series'
  | 'turns'
  | 'turnsBack'
  | 'facts'
  | 'circuitChanges'
  | 'circuitChangeBefore'
  | 'lastCircuitChanges'
  | 'clusters'
  | 'failures'
  | 'slowCalls'
  | 'changes'
  | 'lastIds';

/** Which part of a tool's history to read, and in which steps. */
export interface SeriesQuery {
  /** The start, milliseconds since 1970. */
  readonly since: number;
  /** The end, not included, milliseconds since 1970. */
  readonly until: number;
  /** Length of a step, a multiple of the step of a level (`historyLevels`). */
  readonly stepMs: number;
}

/** Which turns to list; a turn has to match every field that is given. */
export interface FactsQuery {
  /** Maximum number of turns to return. */
  readonly limit: number;
  /** The last turn of the previous page. */
  readonly after?: TurnPlace | undefined;
  /** Only turns that began at this time or later, milliseconds since 1970. */
  readonly since?: number | undefined;
  /** Only turns that began before this, milliseconds since 1970. */
  readonly before?: number | undefined;
  /** Only turns that called this tool. */
  readonly toolName?: string | undefined;
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
  /** Only turns whose id begins with this text, or whose summary, tools or codes contain it. Not indexed: also set `downTo`, and search page by page. */
  readonly text?: string | undefined;
  /** Only turns down to this one, newest first; this one included. */
  readonly downTo?: TurnPlace | undefined;
}

/** The position of a turn in lists, which are sorted by these two fields. */
export interface TurnPlace {
  /** When the turn began, milliseconds since 1970. */
  readonly startedAt: number;
  /** Id of the record, as in `KeptTurn`. */
  readonly id: number;
}

/** A stored turn. */
export interface KeptTurn extends TurnRecord {
  /** Id of the record; together with `started_at` it is the position of the turn in lists. */
  readonly id: number;
}

/** Whether the history can be stored. */
export interface HistoryStatus {
  /** False while the store fails. */
  readonly ok: boolean;
  /** Records that could not be stored. */
  readonly dropped: number;
  /** Why the store fails; absent while it does not. */
  readonly problem?: string;
}

/** Stores the records of the folds and answers queries about them. */
export interface KeptHistory {
  /** Location of the store, without secrets. */
  readonly path: string;
  /** How long records are kept, in days. */
  readonly retentionDays: number;
  /** Alert records, in the same store. */
  readonly alerts: AlertRecords;
  /** Queues a batch, which is written soon and in one transaction. With `mark`, only while that lease is held. */
  write(batch: HistoryWrite, mark?: CursorMark): void;
  /** Writes the queued batches and does due maintenance now. */
  flush(): MaybePromise<void>;
  /** Rolls up and deletes due records, a few at a time. */
  tidy(): void;
  /** Returns the cells of a tool by the start of their step. */
  series(tool: string, query: SeriesQuery): MaybePromise<ReadonlyMap<number, Cell>>;
  /** Returns the turns that match, newest first. */
  turns(query: FactsQuery): MaybePromise<readonly KeptTurn[]>;
  /** Returns the position `count` turns further back; `undefined` when there are fewer. */
  turnsBack(after: TurnPlace | undefined, count: number): MaybePromise<TurnPlace | undefined>;
  /** Returns a turn by its id and the time of its first event; `undefined` when it is not stored. */
  facts(turnId: string, startedAt: number): MaybePromise<KeptTurn | undefined>;
  /** Returns the changes of a tool's circuit, oldest first. */
  circuitChanges(tool: string, since: number): MaybePromise<readonly CircuitChange[]>;
  /** Returns the last change of a tool's circuit before `at`, milliseconds since 1970; `undefined` when none is stored. */
  circuitChangeBefore(tool: string, at: number): MaybePromise<CircuitChange | undefined>;
  /** Returns the last change of each circuit. */
  lastCircuitChanges(): MaybePromise<readonly ToolCircuitChange[]>;
  /** Returns the failure clusters, least recently seen first. */
  clusters(limit: number): MaybePromise<readonly ClusterRecord[]>;
  /** Returns the failures of a tool, newest first. */
  failures(tool: string, since: number): MaybePromise<readonly FailureRecord[]>;
  /** Returns the slowest calls of a tool, slowest first. */
  slowCalls(tool: string, since: number, limit: number): MaybePromise<readonly CallRecord[]>;
  /** Returns the latest changes, newest first. */
  changes(limit: number): MaybePromise<readonly KeptChange[]>;
  /** Returns the last assigned ids. */
  lastIds(): MaybePromise<{ readonly change: number; readonly circuitChange: number }>;
  /** Returns whether the history can be stored, and what was lost, without a query to the store. */
  status(): HistoryStatus;
  /** Returns the last known size of the store in bytes; 0 in memory. */
  bytes(): number;
  /** Writes the queued batches within a time limit, releases all leases and closes the store. */
  close(): MaybePromise<void>;
  /**
   * Requests the right to do something that only one process may do at a time, and keeps requesting it until it is released. Absent when processes cannot
   * detect each other's end.
   */
  lease?(name: string, listener?: LeaseListener): HistoryLease;
  /** Returns the cursor that was written last under the lease of this name. Rejects when it cannot be read, since the position to continue at must not be guessed. */
  cursor?(name: string): MaybePromise<string | undefined>;
}
