export { sqliteStore, type SqliteStore } from './sqlite-store.ts';
export type { SqliteFaultKind, SqliteFault, SqliteStoreOptions } from './settings.ts';
export { isConfigurationError, StoreConfigurationError, type StoreConfigurationCode } from './configuration-error.ts';
export type { SqliteStats } from './inspection.ts';
export type { SqliteWriterStats } from './writer.ts';
export { sqliteSealedRows, type SqliteSealedRowsOptions } from './sealed/sqlite-sealed-rows.ts';
