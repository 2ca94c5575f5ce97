/** Owns looking at the database in which the trace is kept. Changes nothing in it, and shows no password. */
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
  if (kind === 'missing_tables') return { ...common, status: 'ok', message: `${store.place}: its tables will be made` };
  const advice = (kind && hints[kind]) ?? 'Calls continue, and what happens is kept once it works again, up to a limit.';
  return { ...common, status: 'error', message: problem ?? `${store.place} cannot be used`, advice };
}

const hints: Readonly<Record<string, string>> = {
  unreachable: 'Is PostgreSQL running, are host and port under store.postgres.url right?',
  timeout: 'It takes connections and does not answer: see whether it is overloaded, or waits for a lock.',
  starting: 'It is starting or ending: try again in a moment.',
  connections: 'Raise max_connections of the server, lower store.postgres.connections, or put PgBouncer between.',
  credentials: 'Give the password in the environment: store: { postgres: { url: …, password: { env: NAME } } }.',
  missing_database: 'Make it: createdb, or CREATE DATABASE.',
  permission: 'GRANT CREATE ON DATABASE … TO the user of store.postgres.url, or make the schema for it.',
  full: 'Its disk is full: free some, or set store.retention_days.',
  read_only: 'It is a replica: name the primary under store.postgres.url.',
  newer_schema: 'A newer Holdfast has made its tables: update this one.',
  unsupported: 'Use PostgreSQL 14 or newer.',
};
