/** What tests of programs on Holdfast need: time by hand, and the contract that every store keeps. */
export { manualSystem } from './manual-system.ts';
export type { ManualSystem, ManualSystemOptions } from './manual-system.ts';
export { storeContract } from './store-contract.ts';
export type { StoreContractCase, StoreContractOptions } from './store-contract.ts';
