/**
 * Owns the types of the store contract's cases. Does not own the cases.
 */
import type { EventQuery, Store } from '../engine/ports/store.ts';
import type { TraceEvent } from '../engine/trace/events.ts';

/** Options of `storeContract`: how to open the store under test. */
export interface StoreContractOptions {
  /** Opens an empty store. */
  readonly open: () => Store | Promise<Store>;
  /** Opens the data of `store` again, like another process, while `store` is open or after it was closed. Omit it for stores without durability. */
  readonly reopen?: (store: Store) => Store | Promise<Store>;
  /** Start of the recorded turns, milliseconds since 1970. Use the current time for a store that deletes old turns. @default 2026-01-01 */
  readonly startedAtMs?: number;
}

/** One case of the store contract. */
export interface StoreContractCase {
  /** Name of the case, for the test runner. */
  readonly name: string;
  /** Rejects with an `Error` that describes the violation. */
  readonly run: () => Promise<void>;
}

export interface CaseContext extends StoreContractOptions {
  readonly startedAtMs: number;
}

export type ContractBody = (store: Store, context: CaseContext) => Promise<void>;

export async function readAll(store: Store, query?: EventQuery): Promise<readonly TraceEvent[]> {
  const events: TraceEvent[] = [];
  for await (const batch of store.readEvents(query)) events.push(...batch);
  return events;
}
