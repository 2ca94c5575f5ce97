/** Owns the PostgreSQL of a test file, and histories in schemas of their own in it. */
import { Client } from 'pg';
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

/** Runs a query over a connection that is not the history's. */
export async function queryIn(text: string): Promise<readonly Record<string, unknown>[]> {
  const client = new Client({ connectionString: server.url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}

/** Where there are tables, nothing is in them any more: to make them takes longer than most tests. */
export async function emptySchema(schema: string): Promise<void> {
  const tables = await queryIn(`SELECT tablename FROM pg_tables WHERE schemaname = '${schema}' AND tablename LIKE 'history%'`);
  if (tables.length > 0) await queryIn(tables.map(({ tablename }) => `DELETE FROM "${schema}"."${String(tablename)}";`).join(''));
}
