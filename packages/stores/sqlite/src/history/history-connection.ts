/** Owns what a history's connection is to those who read and write through it. */
import type { DatabaseSync, StatementSync } from 'node:sqlite';

export interface HistoryConnection {
  readonly database: DatabaseSync;
  /** Prepared once, then reused. */
  statement(sql: string): StatementSync;
  /** The number of a tool; it gets one where it has none. */
  toolNumber(name: string): number;
  /** `undefined`: nothing was ever kept of it. */
  knownTool(name: string): number | undefined;
  commit(): void;
  /** Takes the transaction back, and what was learned in it. */
  rollBack(): void;
  close(): void;
}
