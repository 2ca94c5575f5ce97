/**
 * Owns sealed rows in PostgreSQL, shared by all gateways of a database.
 *
 * Invariants
 * 1. The clock of the database decides when a row or a lease ends.
 * 2. No transaction and no lock lasts longer than its statements: a lease is a row.
 */
import { randomUUID } from 'node:crypto';
import type { SealedRow, SealedRows, SealedWrite } from '@holdfast/core/store';
import { openDatabase } from '../database/database.ts';
import type { MigrationPlan } from '../database/migrations.ts';
import type { Session } from '../database/session.ts';
import { type DatabaseOptions, databaseSettings } from '../database/settings.ts';

const plan: MigrationPlan = {
  component: 'sealed',
  migrations: [
    (schema) => `
      CREATE TABLE ${schema}.sealed_rows (
        key text COLLATE "C" PRIMARY KEY,
        sealed text NOT NULL,
        version text NOT NULL,
        expires_at timestamptz
      );
      CREATE TABLE ${schema}.sealed_leases (key text COLLATE "C" PRIMARY KEY, holder text NOT NULL, expires_at timestamptz NOT NULL);`,
  ],
};

/** Connects at the first use. @throws TypeError or RangeError for invalid options. */
export function postgresSealedRows(options: DatabaseOptions): SealedRows {
  const settings = databaseSettings(options, 'postgresSealedRows', {});
  const database = openDatabase(settings, { plan, connections: 1 });
  const { schema } = database;
  const rows = `${schema}.sealed_rows`;
  const leases = `${schema}.sealed_leases`;
  return {
    read: (key) => database.read((session) => readRow(session, rows, key)),
    keys: (prefix) =>
      database.read(async (session) => {
        const text = `SELECT key FROM ${rows} WHERE starts_with(key, $1) AND (expires_at IS NULL OR expires_at > clock_timestamp()) ORDER BY key`;
        return (await session.query(text, [prefix])).rows.map((row) => String(row['key']));
      }),
    write: (key, sealed, how = {}) => database.write((session) => writeRow(session, rows, { key, sealed, how })),
    delete: (key, expected) =>
      database.write(async (session) => {
        const text = `DELETE FROM ${rows} WHERE key = $1 AND ($2::text IS NULL OR version = $2)`;
        return (await session.query(text, [key, expected ?? null])).rowCount > 0;
      }),
    acquire: (key, holder, ttlMs) =>
      database.write(async (session) => {
        const text = `INSERT INTO ${leases} AS l (key, holder, expires_at) VALUES ($1, $2, clock_timestamp() + $3 * interval '1 millisecond')
          ON CONFLICT (key) DO UPDATE SET holder = excluded.holder, expires_at = excluded.expires_at
          WHERE l.holder = excluded.holder OR l.expires_at <= clock_timestamp()`;
        return (await session.query(text, [key, holder, ttlMs])).rowCount > 0;
      }),
    release: (key, holder) =>
      database.write(async (session) => {
        await session.query(`DELETE FROM ${leases} WHERE key = $1 AND holder = $2`, [key, holder]);
      }),
    close: () => database.close(),
  };
}

async function readRow(session: Session, table: string, key: string): Promise<SealedRow | undefined> {
  const text = `SELECT sealed, version FROM ${table} WHERE key = $1 AND (expires_at IS NULL OR expires_at > clock_timestamp())`;
  const [row] = (await session.query(text, [key])).rows;
  return row === undefined ? undefined : { sealed: String(row['sealed']), version: String(row['version']) };
}

interface Writing {
  readonly key: string;
  readonly sealed: string;
  readonly how: SealedWrite;
}

async function writeRow(session: Session, table: string, { key, sealed, how }: Writing): Promise<string | undefined> {
  const { expected, expiresInMs } = how;
  const version = randomUUID();
  await session.query(`DELETE FROM ${table} WHERE expires_at <= clock_timestamp()`);
  const { rowCount } = await session.query(
    `INSERT INTO ${table} AS r (key, sealed, version, expires_at)
     SELECT $1, $2, $3, clock_timestamp() + $4 * interval '1 millisecond'
     WHERE $5::text = 'any' OR $5 = 'none' OR EXISTS (SELECT 1 FROM ${table} WHERE key = $1 AND version = $6)
     ON CONFLICT (key) DO UPDATE SET sealed = excluded.sealed, version = excluded.version, expires_at = excluded.expires_at
     WHERE $5 = 'any' OR ($5 = 'this' AND r.version = $6)`,
    [key, sealed, version, expiresInMs ?? null, expected === undefined ? 'any' : expected === null ? 'none' : 'this', expected ?? null],
  );
  return rowCount > 0 ? version : undefined;
}
