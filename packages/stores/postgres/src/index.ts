export { postgresStore, type PostgresStore } from './postgres-store.ts';
export type { StoreFaultKind, PostgresFault, PostgresStoreOptions } from './settings.ts';
export type { DatabaseFaultKind } from './database/faults.ts';
export type { DatabaseOptions, PostgresConnection } from './database/settings.ts';
export type { DatabaseStats, StoreStats } from './inspection.ts';
export type { CallPlace } from './queries.ts';
export type { WriterStats } from './writer.ts';
export { postgresSharedCircuits, type PostgresSharedCircuitsOptions } from './circuits/postgres-shared-circuits.ts';
