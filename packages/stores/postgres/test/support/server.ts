import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { postgresStore, type PostgresStore, type PostgresStoreOptions } from '../../src/index.ts';
import { startPostgres, type PostgresServer, type PostgresServerOptions } from '../../src/testing/index.ts';

export interface TestServer {
  readonly server: () => PostgresServer;
  /** A store in a schema of its own, closed when the test is over. */
  readonly openStore: (options?: Partial<PostgresStoreOptions>) => PostgresStore;
}

let schemas = 0;

export function freshSchema(): string {
  schemas += 1;
  return `test_${String(schemas)}`;
}

/** One server for the tests of a file. */
export function useServer(options?: PostgresServerOptions): TestServer {
  let server: PostgresServer | undefined;
  const running = (): PostgresServer => {
    if (server === undefined) throw new Error('the server has not started');
    return server;
  };
  beforeAll(async () => {
    server = await startPostgres(options);
  });
  afterAll(() => server?.stop());
  return {
    server: running,
    openStore(given = {}) {
      const store = postgresStore({ url: running().url, schema: freshSchema(), ...given });
      onTestFinished(() => store.close());
      return store;
    },
  };
}
