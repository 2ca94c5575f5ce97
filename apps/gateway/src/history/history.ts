/**
 * Owns the interface of the history to the rest of the gateway. Does not own the folds (`@holdfast/core/history`), the file (`@holdfast/store-sqlite/history`)
 * or the routes.
 */
import type { SyncAlertRecords } from '@holdfast/store-sqlite/history';
import type { FactsQuery, KeptTurn, TurnPlace, TurnRecord } from '@holdfast/core/history';
import type { MaybePromise } from '@holdfast/core/internal';
import type {
  AlertItem,
  ChangeItem,
  CircuitTimeline,
  FailureCluster,
  HistoryRange,
  Overview,
  ToolHistory,
  ToolTile,
  Totals,
  TurnBrief,
} from '../contract.ts';
import type { Steps } from '../plain/steps.ts';

/** What has changed since a cursor. */
export interface Changed {
  /** Cursor from which to continue. */
  readonly cursor: string;
  /** The cursor is not from this process or too old: this is everything. */
  readonly reset?: true;
  readonly tools: readonly ToolTile[];
  readonly removed_tools: readonly string[];
  /** Oldest first. */
  readonly changes: readonly ChangeItem[];
  /** Newest first. */
  readonly turns: readonly TurnBrief[];
}

/** A change that another part of the gateway reports. */
export type NewChange = Omit<ChangeItem, 'id' | 'at'>;

export interface FailureFilter {
  readonly tool_id?: string | undefined;
  /** Milliseconds since 1970. */
  readonly since?: number | undefined;
  /** @default all, at most 1000 */
  readonly limit?: number | undefined;
}

export interface History {
  /** Records of alerts, in the same file. */
  readonly alerts: SyncAlertRecords;
  overview(alerts: readonly AlertItem[]): Steps<Overview>;
  totals(): Steps<Totals>;
  /** Failing tools first, then by name. */
  tiles(): Steps<readonly ToolTile[]>;
  tile(tool: string): ToolTile | undefined;
  /** Returns the latest changes, newest first. */
  changes(limit: number): readonly ChangeItem[];
  note(change: NewChange): void;
  cursor(): string;
  /** Whether `changedSince` returns the changes since then, not everything. */
  knows(cursor: string): boolean;
  changedSince(cursor: string): Steps<Changed>;
  /** Calls the listener once after one or more changes. Returns a function that unsubscribes. */
  subscribe(listener: () => void): () => void;
  /** Reports tools whose status has changed without an event of theirs, such as when an alert fires. */
  refresh(): void;
  toolHistory(tool: string, range: HistoryRange): MaybePromise<ToolHistory>;
  circuit(tool: string, range: HistoryRange): MaybePromise<CircuitTimeline>;
  /** The latest seen first. */
  failures(filter: FailureFilter): readonly FailureCluster[];
  failure(signature: string): FailureCluster | undefined;
  /** Returns turns by their facts, newest first. */
  turns(query: FactsQuery): MaybePromise<readonly KeptTurn[]>;
  /** Returns the turn that is `count` turns older; `undefined` if there are fewer. */
  turnsBack(after: TurnPlace | undefined, count: number): MaybePromise<TurnPlace | undefined>;
  facts(turnId: string, startedAt: number): MaybePromise<TurnRecord | undefined>;
  /** Writes all counts and closes the file. */
  close(): Promise<void>;
}
