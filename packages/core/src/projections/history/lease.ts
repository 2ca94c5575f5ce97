/** Owns the types of a lease: the right of one process to do something. Does not own how processes agree on it. */

/** Is notified when a lease changes hands. */
export interface LeaseListener {
  /** This process now holds the lease; everything written under it before is visible. */
  readonly onGained?: () => void;
  /** Another process may hold the lease by now. */
  readonly onLost?: () => void;
}

/** The right to do something that only one process may do at a time. */
export interface HistoryLease {
  /** Name of the right. */
  readonly name: string;
  /** Whether this process holds the lease, by its own clock. Ask before every exclusive action, since the process may have been suspended. */
  isHeld(): boolean;
  /** Whether the lease is held, or was held when the store was last reachable: for actions that are better done twice than not at all. */
  isPresumed(): boolean;
  /** Number of times the lease has changed its holder; 0 before it was ever held. */
  readonly term: number;
  /** Releases the lease and stops requesting it. */
  release(): Promise<void>;
}

/** A position that is stored in the same transaction as the records up to it. */
export interface CursorMark {
  /** The lease under which the cursor is written; it has to be held. */
  readonly lease: HistoryLease;
  /** Where to continue; an opaque string. */
  readonly cursor: string;
}
