/** Owns the PostgreSQL of a test file, and histories in schemas of their own in it. */
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { postgresHistory, type PostgresHistory, type PostgresHistoryOptions } from '../../src/history/index.ts';
import { startPostgres, type PostgresServer } from '../../src/testing/index.ts';

let server: PostgresServer;
let schemas = 0;

/** Call it once at the top of a file. */
export function usePostgres(): void {
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.stop());
}

export const postgres = (): PostgresServer => server;

export const freshSchema = (): string => `history ${String((schemas += 1))}`;

/** Closed when the test is over. */
export function historyIn(schema: string, options: Partial<PostgresHistoryOptions> = {}): PostgresHistory {
  const history = postgresHistory({ url: server.url, schema, ...options });
  onTestFinished(() => history.close());
  return history;
}
