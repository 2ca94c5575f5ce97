/** Checks the database of the trace store. Changes nothing in it, and shows no password. */
import { postgresStore } from '@holdfast/store-postgres';
import type { DatabasePlace } from '../store/database.ts';
import type { Finding } from './finding.ts';

export async function checkDatabase(place: DatabasePlace): Promise<Finding> {
  const store = postgresStore({ ...place, readOnly: true });
  const { ok, kind, problem } = await store.ready();
  const turns = ok ? await store.listTurns({ limit: 1 }) : [];
  await store.close();
  const common = { check: 'store' } as const;
  if (ok) return { ...common, status: 'ok', message: `${store.place}${turns.length === 0 ? ', empty' : ''}` };
  if (kind === 'missing_tables') return { ...common, status: 'ok', message: `${store.place}: the tables will be created on first use` };
  const advice = (kind && hints[kind]) ?? 'Calls continue, and events are buffered up to a limit until it recovers.';
  return { ...common, status: 'error', message: problem ?? `${store.place} cannot be used`, advice };
}

const hints: Readonly<Record<string, string>> = {
  unreachable: 'Is PostgreSQL running? Are the host and port in store.postgres.url correct?',
  timeout: 'It accepts connections but does not respond: it may be overloaded or waiting for a lock.',
  starting: 'It is starting up or shutting down: try again in a moment.',
  connections: 'Raise max_connections of the server, lower store.postgres.connections, or use PgBouncer.',
  credentials: 'Set the password in the environment: store: { postgres: { url: …, password: { env: NAME } } }.',
  missing_database: 'Create it: createdb, or CREATE DATABASE.',
  permission: 'GRANT CREATE ON DATABASE … TO the user in store.postgres.url, or create the schema for it.',
  full: 'Its disk is full: free some space, or set store.retention_days.',
  read_only: 'It is a replica: set store.postgres.url to the primary.',
  newer_schema: 'A newer version of Holdfast created its tables: update this one.',
  unsupported: 'Use PostgreSQL 14 or newer.',
};
