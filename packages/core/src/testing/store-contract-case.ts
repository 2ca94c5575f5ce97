/**
 * Owns the shape of the store contract's cases. Does not own the cases.
 */
import type { EventQuery, Store } from '../engine/ports/store.ts';
import type { TraceEvent } from '../engine/trace/events.ts';

/** How the store contract opens the stores that it tests. */
export interface StoreContractOptions {
  /** Opens a store with nothing in it. */
  readonly open: () => Store | Promise<Store>;
  /** Opens what `store` keeps once more, as another process would, while `store` is open or after it was closed. Leave it out for stores without durability. */
  readonly reopen?: (store: Store) => Store | Promise<Store>;
  /** When the recorded turns begin, milliseconds since 1970. Give the present when the store forgets old turns. @default 2026-01-01 */
  readonly startedAtMs?: number;
}

/** One case of the store contract. */
export interface StoreContractCase {
  /** Name of the case, for the test runner. */
  readonly name: string;
  /** Rejects with an `Error` that says which promise the store broke. */
  readonly run: () => Promise<void>;
}

export interface Surroundings extends StoreContractOptions {
  readonly startedAtMs: number;
}

export type ContractBody = (store: Store, surroundings: Surroundings) => Promise<void>;

export async function readAll(store: Store, query?: EventQuery): Promise<readonly TraceEvent[]> {
  const events: TraceEvent[] = [];
  for await (const batch of store.readEvents(query)) events.push(...batch);
  return events;
}
