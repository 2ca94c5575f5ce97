/**
 * Owns the migration of a database from an older version of the tables to this one. Does not own the tables: each component defines its own.
 *
 * 1. The first process migrates, the others wait: an advisory lock per schema. All steps of a component are one transaction.
 * 2. A schema of a newer version is refused and not changed, unless that version allows older ones to continue (`compatible_from`).
 */
import { DatabaseConfigurationError } from './faults.ts';
import type { Session } from './session.ts';

/** A part of the schema with versions of its own. */
export interface MigrationPlan {
  readonly component: 'trace' | 'history' | 'circuits' | 'keys' | 'sealed';
  /** Statements of each version, given the quoted schema. Never changed once published; the version is how many there are. */
  readonly migrations: readonly ((schema: string) => string)[];
  /** The oldest version that may use the tables of this one. @default this version */
  readonly compatibleFrom?: number;
  /** The oldest version of the tables that can be read without migrating them. @default this version */
  readonly readsFrom?: number;
}

interface Version {
  readonly version: number;
  readonly compatibleFrom: number;
}

export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Returns whether the component's tables exist and may be used, or only read. Throws if they are newer. */
export async function isMigrated(session: Session, schema: string, plan: MigrationPlan, readOnly = false): Promise<boolean> {
  const wanted = plan.migrations.length;
  const { version, compatibleFrom } = await versionOf(session, schema, plan.component);
  if (version > wanted && compatibleFrom > wanted) {
    throw new DatabaseConfigurationError(
      'newer_schema',
      `schema ${schema} has version ${String(version)} of the ${plan.component} tables, this version of @holdfast/store-postgres knows ${String(wanted)}; update the package or use another schema`,
    );
  }
  return version >= (readOnly ? (plan.readsFrom ?? wanted) : wanted);
}

/** Within a transaction. */
export async function migrate(session: Session, schema: string, plan: MigrationPlan): Promise<void> {
  const name = quoteName(schema);
  await session.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`holdfast ${schema}`]);
  if (await isMigrated(session, schema, plan)) return;
  await refuseEncoding(session);
  const { rows } = await session.query('SELECT 1 FROM pg_namespace WHERE nspname = $1', [schema]);
  // CREATE SCHEMA IF NOT EXISTS needs the right to create schemas even if the schema exists.
  if (rows.length === 0) await session.query(`CREATE SCHEMA ${name}`);
  await session.query(
    `CREATE TABLE IF NOT EXISTS ${name}.schema_versions (component text PRIMARY KEY, version integer NOT NULL, compatible_from integer NOT NULL)`,
  );
  const { version } = await versionOf(session, schema, plan.component);
  for (const migration of plan.migrations.slice(version)) await session.query(migration(name));
  await session.query(
    `INSERT INTO ${name}.schema_versions VALUES ($1, $2, $3)
     ON CONFLICT (component) DO UPDATE SET version = excluded.version, compatible_from = excluded.compatible_from`,
    [plan.component, plan.migrations.length, plan.compatibleFrom ?? plan.migrations.length],
  );
}

async function versionOf(session: Session, schema: string, component: string): Promise<Version> {
  const table = `${quoteName(schema)}.schema_versions`;
  const { rows: found } = await session.query('SELECT to_regclass($1) IS NOT NULL AS there', [table]);
  if (found[0]?.['there'] !== true) return { version: 0, compatibleFrom: 0 };
  const { rows } = await session.query(`SELECT version, compatible_from FROM ${table} WHERE component = $1`, [component]);
  return { version: Number(rows[0]?.['version'] ?? 0), compatibleFrom: Number(rows[0]?.['compatible_from'] ?? 0) };
}

async function refuseEncoding(session: Session): Promise<void> {
  const { rows } = await session.query(
    "SELECT current_setting('server_encoding') AS encoding, current_setting('server_version_num')::int AS version",
  );
  if (Number(rows[0]?.['version']) < 140_000)
    throw new DatabaseConfigurationError('unsupported', 'PostgreSQL is older than version 14; update the server');
  if (rows[0]?.['encoding'] === 'UTF8') return;
  throw new DatabaseConfigurationError(
    'unsupported',
    `the encoding of the database is ${String(rows[0]?.['encoding'])}; create one with CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0`,
  );
}
