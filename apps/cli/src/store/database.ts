/** Opens a PostgreSQL database as the trace store. Loads the PostgreSQL client only when it is needed. */
import type { StoreEntry } from '@holdfast/manifest';
import type { PostgresStoreOptions } from '@holdfast/store-postgres';
import { UsageError } from '../exit-codes.ts';
import type { TraceStore } from './trace-store.ts';

export interface DatabasePlace {
  readonly url: string;
  readonly password?: string;
  readonly schema: string;
  readonly connections: number;
  readonly retentionDays: number;
}

export const isDatabaseUrl = (text: string): boolean => /^postgres(?:ql)?:\/\//i.test(text);

const defaults = { schema: 'holdfast', connections: 4 } as const;

/** `given` replaces the manifest's URL. @throws UsageError when a variable is not set. */
export function databaseOf(entry: StoreEntry | undefined, retentionDays: number, given?: string): DatabasePlace {
  const { url = '', password, schema, connections } = { ...defaults, ...(entry && 'postgres' in entry ? entry.postgres : {}) };
  const secret = password && given === undefined ? { password: valueOf('store.postgres.password', password) } : {};
  return { url: given ?? valueOf('store.postgres.url', url), ...secret, schema, connections, retentionDays };
}

function valueOf(field: string, value: string | { readonly env: string; readonly prefix?: string }): string {
  if (typeof value === 'string') return value;
  const secret = process.env[value.env] ?? '';
  if (secret === '') throw new UsageError(`${field}: the environment variable ${value.env} is not set.`);
  return `${value.prefix ?? ''}${secret}`;
}

/** Problems that do not go away by waiting. */
const permanentProblems: ReadonlySet<string> = new Set(['credentials', 'missing_database', 'permission', 'newer_schema', 'unsupported']);

/** Succeeds for a database that is only unreachable for now. @throws UsageError for a permanent problem. */
export async function openDatabase(place: DatabasePlace, options: Pick<PostgresStoreOptions, 'onFault' | 'readOnly'>): Promise<TraceStore> {
  const { postgresStore } = await import('@holdfast/store-postgres');
  const store = openOrExplain(() => postgresStore({ ...place, ...options }));
  const { ok, kind, problem } = await store.ready();
  if (ok || kind === undefined || !permanentProblems.has(kind)) return store;
  await store.close();
  throw new UsageError(problem ?? `${store.place} cannot be used.`);
}

function openOrExplain<Opened>(open: () => Opened): Opened {
  try {
    return open();
  } catch (error) {
    if (error instanceof TypeError || error instanceof RangeError) throw new UsageError(error.message);
    throw error;
  }
}
