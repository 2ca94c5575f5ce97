/** Owns the connection of a history, as reads and writes see it. */
import type { DatabaseSync, StatementSync } from 'node:sqlite';

export interface HistoryConnection {
  readonly database: DatabaseSync;
  /** Prepared once, then reused. */
  statement(sql: string): StatementSync;
  /** The id of a tool; a new tool gets one. */
  toolNumber(name: string): number;
  /** `undefined` if nothing was stored for the tool. */
  knownTool(name: string): number | undefined;
  commit(): void;
  /** Rolls back the transaction, and forgets what was learned in it. */
  rollBack(): void;
  close(): void;
}
