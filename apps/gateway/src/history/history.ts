/**
 * Owns the words of the history's room: what it keeps and answers. Does not own the folds (`@holdfast/core/history`), the file (`@holdfast/store-sqlite/history`)
 * nor the routes.
 */
import type { AlertRecords } from '@holdfast/store-sqlite/history';
import type { FactsQuery, KeptTurn, TurnPlace, TurnRecord } from '@holdfast/core/history';
import type { Soon } from '@holdfast/core/internal';
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

/** What has changed since a cursor. */
export interface Changed {
  /** Continues from here. */
  readonly cursor: string;
  /** The cursor was none of this process, or too old: this is everything. */
  readonly reset?: true;
  readonly tools: readonly ToolTile[];
  readonly removed_tools: readonly string[];
  /** Oldest first. */
  readonly changes: readonly ChangeItem[];
  /** Newest first. */
  readonly turns: readonly TurnBrief[];
}

/** A change that somebody else tells of. */
export type ToldChange = Omit<ChangeItem, 'id' | 'at'>;

export interface FailureFilter {
  readonly tool?: string | undefined;
  /** Milliseconds since 1970. */
  readonly since?: number | undefined;
  /** @default all that are known, at most 1000 */
  readonly limit?: number | undefined;
}

export interface History {
  /** What is kept of alerts, in the same file. */
  readonly alerts: AlertRecords;
  overview(alerts: readonly AlertItem[]): Overview;
  totals(): Totals;
  /** Failing ones first, then by name. */
  tiles(): readonly ToolTile[];
  tile(tool: string): ToolTile | undefined;
  /** The latest, newest first. */
  changes(limit: number): readonly ChangeItem[];
  note(change: ToldChange): void;
  cursor(): string;
  changedSince(cursor: string): Changed;
  /** Told soon after something has changed, however much it was. Answers the way to stop. */
  subscribe(listener: () => void): () => void;
  toolHistory(tool: string, range: HistoryRange): Soon<ToolHistory>;
  circuit(tool: string, range: HistoryRange): Soon<CircuitTimeline>;
  /** The latest seen first. */
  failures(filter: FailureFilter): readonly FailureCluster[];
  failure(signature: string): FailureCluster | undefined;
  /** Turns by their facts, newest first. */
  turns(query: FactsQuery): Soon<readonly KeptTurn[]>;
  /** The turn so many places further back; `undefined` where there are not so many. */
  turnsBack(after: TurnPlace | undefined, count: number): Soon<TurnPlace | undefined>;
  facts(turnId: string, startedAt: number): Soon<TurnRecord | undefined>;
  /** Writes what is known and lets go of the file. */
  close(): Promise<void>;
}
