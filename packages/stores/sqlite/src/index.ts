export { sqliteStore, type SqliteStore } from './sqlite-store.ts';
export type { StoreFaultKind, SqliteFault, SqliteStoreOptions } from './settings.ts';
export { isConfigurationError, StoreConfigurationError, type StoreConfigurationCode } from './configuration-error.ts';
export type { StoreStats } from './inspection.ts';
export type { CallPlace } from './queries.ts';
export type { WriterStats } from './writer.ts';
