/** What tests of programs on this store need: a real PostgreSQL for the length of a test, which can be killed and paused. */
export { startPostgres } from './start-postgres.ts';
export type { PostgresServer, PostgresServerOptions } from './start-postgres.ts';
