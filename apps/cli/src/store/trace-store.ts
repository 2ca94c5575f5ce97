/** Owns what the commands need of a store, whichever it is. */
import type { Store, TurnSummary } from '@holdfast/core/store';
import type { CallPlace } from '@holdfast/core/store';

/** A store of either kind, and what an inspector asks beyond the port. */
export interface TraceStore extends Store {
  /** The file or the database as a user would write it, without secrets. */
  readonly place: string;
  findTurns(prefix: string, limit?: number): Promise<readonly TurnSummary[]>;
  findCall(callId: string): Promise<CallPlace | undefined>;
}
