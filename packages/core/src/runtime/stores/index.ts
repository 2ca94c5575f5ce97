/** The entry `@holdfast/core/store`: the port that a store implements, and how it adds to memory. `storeContract` of `@holdfast/core/testing` checks an implementation. */
export type { AppendedEvents, CallPlace, EventQuery, Store, StoreStatus, TurnQuery, TurnSummary } from '../../engine/ports/store.ts';
export type { SealedRow, SealedRows, SealedWrite } from '../../engine/ports/sealed-rows.ts';
export { addToEntry, memoryKey } from './checked-memory.ts';
export type { ErrorKind } from '../../engine/recover/memory-entry.ts';
