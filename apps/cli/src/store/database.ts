/** Opens a PostgreSQL database as the trace store. Loads the PostgreSQL client only when it is needed. */
import { postgresOptions, type PostgresEntry, type PostgresPlace, type StoreEntry } from '@holdfast/manifest';
import type { PostgresStoreOptions } from '@holdfast/store-postgres';
import { UsageError } from '../exit-codes.ts';
import type { TraceStore } from './trace-store.ts';

export interface DatabasePlace extends PostgresPlace {
  readonly retentionDays: number;
}

export const isDatabaseUrl = (text: string): boolean => /^postgres(?:ql)?:\/\//i.test(text);

const defaults: PostgresEntry = { url: '', schema: 'holdfast', connections: 4 };

/** `given` replaces the manifest's URL and password. @throws UsageError when a variable is not set. */
export function databaseOf(entry: StoreEntry | undefined, retentionDays: number, given?: string): DatabasePlace {
  const { password, ...place } = entry && 'postgres' in entry ? entry.postgres : defaults;
  const chosen = given === undefined ? { ...place, ...(password ? { password } : {}) } : { ...place, url: given };
  return { ...withUsageErrors(() => postgresOptions(chosen)), retentionDays };
}

/** Problems that do not go away by waiting. */
const permanentProblems: ReadonlySet<string> = new Set(['credentials', 'missing_database', 'permission', 'newer_schema', 'unsupported']);

/** Succeeds for a database that is only unreachable for now. @throws UsageError for a permanent problem. */
export async function openDatabase(place: DatabasePlace, options: Pick<PostgresStoreOptions, 'onFault' | 'readOnly'>): Promise<TraceStore> {
  const { postgresStore } = await import('@holdfast/store-postgres');
  const store = withUsageErrors(() => postgresStore({ ...place, ...options }));
  const { ok, kind, problem } = await store.ready();
  if (ok || kind === undefined || !permanentProblems.has(kind)) return store;
  await store.close();
  throw new UsageError(problem ?? `${store.place} cannot be used.`);
}

function withUsageErrors<Value>(open: () => Value): Value {
  try {
    return open();
  } catch (error) {
    if (error instanceof TypeError || error instanceof RangeError) throw new UsageError(error.message);
    throw error;
  }
}
