/** Owns secret keys that all processes on one database share. */
import { randomBytes } from 'node:crypto';
import { refuse } from '@holdfast/core/internal/plain';
import { openDatabase } from './database/database.ts';
import type { MigrationPlan } from './database/migrations.ts';
import { type DatabaseOptions, databaseSettings } from './database/settings.ts';

/** Which key, and where it is kept. */
export interface PostgresSharedKeyOptions extends DatabaseOptions {
  /** Name of the key. */
  readonly name: string;
}

const plan: MigrationPlan = {
  component: 'keys',
  migrations: [(schema) => `CREATE TABLE ${schema}.keys (name text PRIMARY KEY, value text NOT NULL)`],
  compatibleFrom: 1,
  readsFrom: 1,
};

/** Resolves to the key of that name: 43 random characters, the same for every process. Rejects if the database does not answer. */
export async function postgresSharedKey(options: PostgresSharedKeyOptions): Promise<string> {
  const settings = databaseSettings(options, 'postgresSharedKey', { name: 'string' });
  const { name } = options;
  if (name === undefined) refuse('postgresSharedKey.name', name, 'the name of the key', '');
  const database = openDatabase(settings, { plan, connections: 1 });
  try {
    return await database.write(async (session) => {
      const fresh = randomBytes(32).toString('base64url');
      await session.query(`INSERT INTO ${database.schema}.keys VALUES ($1, $2) ON CONFLICT DO NOTHING`, [name, fresh]);
      const { rows } = await session.query(`SELECT value FROM ${database.schema}.keys WHERE name = $1`, [name]);
      return rows[0]?.['value'] as string;
    });
  } finally {
    await database.close();
  }
}
