/** The history in PostgreSQL, for several gateways and workers at once: cells, turn facts, circuit timelines, failure clusters, and what is kept of alerts. */
export { postgresHistory, type PostgresHistory, type PostgresHistoryOptions } from './postgres-history.ts';
export type { DatabaseOptions, PostgresConnection } from '../database/settings.ts';
