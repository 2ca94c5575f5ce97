/**
 * Owns the port to storage that outlives the process: the trace, the states of circuits, and what episodic memory has learned.
 *
 * Invariants every store keeps (checked by `storeContract` in `@holdfast/core/testing`)
 * 1. `append` never throws and never blocks a call for longer than it takes to queue the events.
 * 2. Events of one turn come back in the order of their `seq`, without duplicates. An event with `seq` 1 begins a new run of its turn id, unless its
 *    `execution_id` is that of a known run: then that run continues, and later events belong to it. A known event changes nothing.
 * 3. A store that cannot write reports it through `status()` (and `onFault`, where it has one). Events it could not keep are counted in `dropped`,
 *    never silently lost; events it was asked to delete (limits, retention, deletion) are not a loss.
 * 4. After `flush()` has resolved with `status().ok`, everything appended before is readable by every process that opens the same store.
 * 5. No promise rejects. A read that fails returns an empty result and reports why through `status()`.
 */
import type { CircuitSnapshot } from '../breaker/types.ts';
import type { MemoryEntry } from '../recover/memory-entry.ts';
import type { TraceEvent } from '../trace/events.ts';

/** A run of a turn, as listed. */
export interface TurnSummary {
  /** Id of the turn; several runs may have the same id. */
  readonly turnId: string;
  /** Identifies this run within its store, since a turn id may be used again. Later runs have higher numbers. */
  readonly run: number;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  /** `undefined` while it runs, or when its process died: then `state` is `interrupted`, until another process continues it. */
  readonly endedAt?: number;
  /** `completed`: its end was recorded; `interrupted`: its process is gone and no other one has continued it. */
  readonly state: 'running' | 'completed' | 'interrupted';
  /** The last sign of life of its process, in milliseconds since 1970; only of an interrupted turn, where the store knows it. */
  readonly seenAt?: number;
  /** How the turn ended; absent until it has. */
  readonly outcome?: 'success' | 'partial' | 'failed' | 'deadline' | 'cancelled';
  /** A sentence such as `Completed flight search, but hotel search timed out`; absent until the turn has ended. */
  readonly summary?: string;
  /** Number of planned calls, or of completed ones if that is more. */
  readonly calls: number;
  /** Number of events stored for the run. */
  readonly events: number;
}

/** Which page of turns to list. */
export interface TurnQuery {
  /** @default 50 */
  readonly limit?: number;
  /** The last turn of the previous page: the next page starts after it, without gaps or repeats, also when turns started in the same millisecond. */
  readonly after?: Pick<TurnSummary, 'startedAt' | 'run'>;
  /** Only turns that started before this time (milliseconds since 1970). */
  readonly before?: number;
  /** Only turns that started at this time or later (milliseconds since 1970). */
  readonly since?: number;
}

/** Which events to read. */
export interface EventQuery {
  /** Only events of this time or later (milliseconds since 1970). */
  readonly since?: number;
  /** Only events before this time (milliseconds since 1970). */
  readonly until?: number;
  /** @default all */
  readonly eventTypes?: readonly TraceEvent['event_type'][];
  /** Looks only at so many events of the store, those appended last; the other conditions select among them. Its cost does not grow with the store. @default all */
  readonly newest?: number;
}

/** Where a call is recorded. */
export interface CallPlace {
  /** Id of the call, unique within its turn. */
  readonly callId: string;
  /** Id of the turn. */
  readonly turnId: string;
  /** Number of the turn's run; see `TurnSummary.run`. */
  readonly run: number;
  /** Name of the tool that was called. */
  readonly toolName: string;
}

/** Events that other stores appended, and the cursor to continue from. */
export interface AppendedEvents {
  /** Events that others appended since the given cursor. */
  readonly events: readonly TraceEvent[];
  /** Opaque; pass it back to continue. */
  readonly cursor: string;
}

/** Whether a store works, and what it has lost. */
export interface StoreStatus {
  /** False while the store cannot write or read, and after it was closed. */
  readonly ok: boolean;
  /** Number of events that could not be kept. */
  readonly dropped: number;
  /** The reason, when `ok` is false. */
  readonly problem?: string;
}

/** Keeps a turn's events as they happen, and answers queries about them later. */
export interface Store {
  /** Queues events to be written. Never throws: `status` reports what could not be kept. */
  append(events: readonly TraceEvent[]): void;
  /** Resolves when everything appended so far is as durable as the store promises, or when that failed (see `status`); never rejects. */
  flush(): Promise<void>;
  /** Flushes and closes. Events appended afterwards count as dropped. */
  close(): Promise<void>;
  /** Returns whether the store works, and how many events it has lost. */
  status(): StoreStatus;

  /** All events of a turn, of its latest run unless `run` names one, or `undefined` when it is not known. */
  readTurn(turnId: string, run?: number): Promise<readonly TraceEvent[] | undefined>;
  /** Newest first. */
  listTurns(query?: TurnQuery): Promise<readonly TurnSummary[]>;
  /** Events in the order they were appended, a batch at a time: for folds over history. */
  readEvents(query?: EventQuery): AsyncIterable<readonly TraceEvent[]>;
  /**
   * Events that others than this store appended since `after`, at most `limit` (1000 by default), each turn's events in the order in which they were appended,
   * without gaps or duplicates. Without `after` it returns only the current cursor. Absent where no other store can append.
   */
  readAppended?(after: string | undefined, limit?: number): Promise<AppendedEvents>;

  /** Keeps the last snapshot of each tool; where there are several, the one saved last (`savedAtEpochMs`) wins. */
  saveCircuits(circuits: ReadonlyMap<string, CircuitSnapshot>): void;
  /** Returns the last snapshot of each circuit, by the name of its tool. Never rejects. */
  loadCircuits(): Promise<ReadonlyMap<string, CircuitSnapshot>>;

  /**
   * Adds what was learned about each kind of error to what is stored about it, as `addToEntry` does: where several processes
   * add, nothing is lost and nothing counts twice. Keeps the entries that were saved last, at most 1000.
   */
  addMemory(learned: readonly MemoryEntry[]): void;
  /** Returns what is stored, one entry for each kind of error, the one that was saved last at the end. The entries are not checked. Never rejects. */
  loadMemory(): Promise<readonly MemoryEntry[]>;
}
