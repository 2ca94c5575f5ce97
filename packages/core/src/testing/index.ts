/** What tests of programs on Holdfast need: time by hand, the contract that every store keeps, and a durable engine whose processes die on demand. */
export { manualSystem } from './manual-system.ts';
export type { ManualSystem, ManualSystemOptions } from './manual-system.ts';
export { memoryJournal } from './memory-journal.ts';
export type { MemoryJournal, MemoryJournalOptions, StartProcess } from './memory-journal.ts';
export type { DeathPoint, JournalCommand, JournalProcess } from './journal-process.ts';
export { storeContract } from './store-contract.ts';
export type { StoreContractCase, StoreContractOptions } from './store-contract.ts';
