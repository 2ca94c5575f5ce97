export { postgresStore, type PostgresStore } from './postgres-store.ts';
export type { PostgresFaultKind, PostgresFault, PostgresStoreOptions } from './settings.ts';
export type { DatabaseFaultKind } from './database/faults.ts';
export type { DatabaseOptions, PostgresConnection } from './database/settings.ts';
export type { DatabaseStats, PostgresStats } from './inspection.ts';
export type { PostgresWriterStats } from './writer.ts';
export { postgresSharedCircuits, type PostgresSharedCircuitsOptions } from './circuits/postgres-shared-circuits.ts';
export { postgresSealedRows } from './sealed/postgres-sealed-rows.ts';
export { postgresSharedKey, type PostgresSharedKeyOptions } from './shared-key.ts';
