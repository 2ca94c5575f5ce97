/** Owns reading the connection settings of a database from the manifest and the environment. */
import type { PostgresEntry } from '@holdfast/manifest';

export interface PostgresPlace {
  readonly url: string;
  readonly password?: string;
  readonly schema: string;
  readonly connections: number;
}

/** @throws TypeError that names a variable that is not set */
export function postgresOptions(
  { url, password, schema, connections }: PostgresEntry,
  environment: NodeJS.ProcessEnv = process.env,
): PostgresPlace {
  const valueOf = (field: string, value: string | { readonly env: string; readonly prefix?: string }): string => {
    if (typeof value === 'string') return value;
    const secret = environment[value.env] ?? '';
    if (secret === '') throw new TypeError(`store.postgres.${field}: the environment variable ${value.env} is not set.`);
    return `${value.prefix ?? ''}${secret}`;
  };
  return { url: valueOf('url', url), ...(password ? { password: valueOf('password', password) } : {}), schema, connections };
}
