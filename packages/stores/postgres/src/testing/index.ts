/** For tests of programs that use this store: a real PostgreSQL server that a test can kill and pause. */
export { startPostgres } from './start-postgres.ts';
export type { PostgresServer, PostgresServerOptions } from './start-postgres.ts';
