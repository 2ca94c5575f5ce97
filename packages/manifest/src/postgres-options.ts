/** Owns reading the connection settings of a database from an entry and the environment. */
import { checkRule, checkShape, count, isRecord, refuse, type Rule } from '@holdfast/core/internal/plain';
import type { TextOrSecret } from '@holdfast/runners';
import type { PostgresEntry } from './entries/store.ts';
import type { Environment } from './source/environment.ts';

/** How to connect to a PostgreSQL database: an entry with the values of its environment variables. */
export interface PostgresPlace {
  /** Such as `postgres://holdfast@db.example.com:5432/holdfast`. */
  readonly url: string;
  /** Instead of the password in `url`. */
  readonly password?: string;
  /** Schema of its tables. */
  readonly schema: string;
  /** Open connections of each process. */
  readonly connections: number;
}

const urlRule: Rule = (value, field) => {
  if (typeof value !== 'string' && !isRecord(value)) refuse(field, value, 'a string or { env }', '');
};

/**
 * Reads the variables that an entry of a manifest refers to.
 * @param environment @default process.env
 * @throws TypeError that names the field and the variable that is not set.
 */
export function postgresOptions(entry: PostgresEntry, environment: Environment = process.env): PostgresPlace {
  checkShape({ url: urlRule, schema: 'string', connections: count }, entry, 'postgresOptions: entry');
  checkRule('object', environment, 'postgresOptions: environment');
  const { url, password, schema, connections } = entry;
  const valueOf = (field: string, value: TextOrSecret): string => {
    if (typeof value === 'string') return value;
    const secret = environment[value.env] ?? '';
    if (secret === '') throw new TypeError(`store.postgres.${field}: the environment variable ${value.env} is not set.`);
    return `${value.prefix ?? ''}${secret}`;
  };
  return { url: valueOf('url', url), ...(password ? { password: valueOf('password', password) } : {}), schema, connections };
}
