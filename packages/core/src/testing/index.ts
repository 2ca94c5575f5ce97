/** The entry `@holdfast/core/testing`: a manual clock, an in-memory durable engine whose processes die on demand, and contracts of stores, histories, shared circuits and sealed rows. */
export { historyContract } from './history-contract.ts';
export type { HistoryContractCase, HistoryContractOptions, HistoryContractSettings } from './history-contract.ts';
export { manualSystem } from './manual-system.ts';
export type { ManualSystem, ManualSystemOptions } from './manual-system.ts';
export { memoryJournal } from './memory-journal.ts';
export type { MemoryJournal, MemoryJournalOptions, StartProcess } from './memory-journal.ts';
export type { DeathPoint, JournalCommand, JournalProcess } from './journal-process.ts';
export { storeContract } from './store-contract.ts';
export type { StoreContractCase, StoreContractOptions } from './store-contract.ts';
export { sharedCircuitsContract } from './shared-circuits-contract.ts';
export type { SharedCircuitsContractCase, SharedCircuitsContractOptions } from './shared-circuits-contract.ts';
export { sealedRowsContract } from './sealed-rows-contract.ts';
export type { SealedRowsContractCase, SealedRowsContractOptions } from './sealed-rows-contract.ts';
