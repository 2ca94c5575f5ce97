/** Owns the words of doing something in one of several processes only. Does not own how they agree. */

/** Is notified when a lease changes hands. */
export interface LeaseListener {
  /** From now on it is this process's; of what was written under the lease before, nothing is missed any more. */
  readonly onGained?: () => void;
  /** It may be another's by now. */
  readonly onLost?: () => void;
}

/** The right to do something in one of several processes only, as long as it is held. */
export interface HistoryLease {
  /** What it is the right to do. */
  readonly name: string;
  /** By the clock of this process, which may have stood still: ask before anything is done that only one may do. */
  isHeld(): boolean;
  /** It is held, or nobody could be asked since it was: for what may rather be done twice than not at all. */
  isPresumed(): boolean;
  /** How often the lease has had another holder; 0 before it was ever held. */
  readonly term: number;
  /** Gives it back and asks no more. */
  release(): Promise<void>;
}

/** How far somebody has come, kept together with what came of it: neither is there without the other. */
export interface CursorMark {
  /** The lease under which the cursor is written; it has to be held. */
  readonly lease: HistoryLease;
  /** Where to continue; an opaque text. */
  readonly cursor: string;
}
