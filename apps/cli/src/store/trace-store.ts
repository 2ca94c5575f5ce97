/** The store as commands use it, for files and databases. */
import type { Store, TurnSummary } from '@holdfast/core/store';
import type { CallPlace } from '@holdfast/core/store';

/** A store, plus the lookups that commands need. */
export interface TraceStore extends Store {
  /** The file or database as a user would write it, without secrets. */
  readonly place: string;
  findTurns(prefix: string, limit?: number): Promise<readonly TurnSummary[]>;
  findCall(callId: string): Promise<CallPlace | undefined>;
}
