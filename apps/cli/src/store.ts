/** Opens the trace store, a file or a database: for writing in a run, read-only for everything else. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Manifest, SqliteStoreEntry } from '@holdfast/manifest';
import { isConfigurationError, sqliteStore } from '@holdfast/store-sqlite';
import { type GlobalOptions, displayPath, loadConfig } from './config.ts';
import { UsageError } from './exit-codes.ts';
import { type DatabasePlace, databaseOf, isDatabaseUrl, openDatabase } from './store/database.ts';
import type { TraceStore } from './store/trace-store.ts';
import type { Console } from './terminal/console.ts';
import { howToBegin } from './how-to-begin.ts';

type FilePlace = Required<SqliteStoreEntry>;

/** `undefined`: the store is disabled. */
export type StorePlace = { readonly file: FilePlace } | { readonly database: DatabasePlace };

/** @throws UsageError when a password is to come from the environment and is not set. */
export function placeOf({ store: given }: GlobalOptions, manifest: Manifest | undefined): StorePlace | undefined {
  if (given === 'none') return undefined;
  const entry = manifest?.store || undefined;
  const retentionDays = entry?.retentionDays ?? Number.POSITIVE_INFINITY;
  if (given !== undefined && isDatabaseUrl(given)) return { database: databaseOf(entry, retentionDays, given) };
  if (given === undefined && entry && 'postgres' in entry) return { database: databaseOf(entry, retentionDays) };
  const fileEntry = entry && 'path' in entry ? entry : undefined;
  const maxBytes = fileEntry?.maxBytes ?? Number.POSITIVE_INFINITY;
  if (given !== undefined)
    return { file: { path: resolve(given), durability: fileEntry?.durability ?? 'normal', retentionDays, maxBytes } };
  return fileEntry && { file: { ...fileEntry, retentionDays, maxBytes } };
}

/** @throws UsageError when the path can never work, or the file cannot be read. */
function openFile(options: Parameters<typeof sqliteStore>[0]): TraceStore {
  try {
    return { ...sqliteStore(options), place: displayPath(options.path) };
  } catch (error) {
    if (isConfigurationError(error)) throw new UsageError(error.message);
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== 'ERR_SQLITE_ERROR') throw error;
    throw new UsageError(
      `${displayPath(options.path)} cannot be read: ${message}.\nIf it is damaged, rename it: the next run creates a new one.`,
    );
  }
}

/** For a run. A write error is reported once; the turn continues. @throws UsageError when the path can never work. */
export async function openStore(
  options: GlobalOptions,
  manifest: Manifest,
  onFault: (problem: string) => void,
): Promise<TraceStore | undefined> {
  const place = placeOf(options, manifest);
  if (!place) return undefined;
  const reportStatus = ({ ok, problem }: { readonly ok: boolean; readonly problem?: string }): void =>
    onFault(ok ? 'The trace store has recovered.' : (problem ?? 'The trace store failed.'));
  return 'database' in place ? openDatabase(place.database, { onFault: reportStatus }) : openFile({ ...place.file, onFault: reportStatus });
}

export const openReadOnly = async (place: StorePlace): Promise<TraceStore> =>
  'database' in place ? openDatabase(place.database, { readOnly: true }) : openFile({ path: place.file.path, readOnly: true });

/** Read-only. @throws UsageError when there is nothing to read. */
async function openHistory(options: GlobalOptions, console: Console): Promise<TraceStore> {
  const manifest = options.store === undefined ? await loadConfig(options, console) : undefined;
  const place = placeOf(options, manifest);
  if (!place)
    throw new UsageError('the trace store is disabled.\nName one with --store <path>, or remove "store: false" from the manifest.');
  if ('file' in place && !existsSync(place.file.path)) {
    throw new UsageError(`there is no trace yet at ${displayPath(place.file.path)}.\n${howToBegin()}`);
  }
  return openReadOnly(place);
}

/** A failed read returns nothing, like an empty store; the status tells the two apart. */
export function checkReadable(store: TraceStore): void {
  const { ok, problem } = store.status();
  if (!ok) throw new UsageError(problem ?? `${store.place} cannot be read.`);
}

/** Opens the store for one read and always closes it. */
export async function withHistory<Result>(
  options: GlobalOptions,
  console: Console,
  read: (store: TraceStore) => Promise<Result>,
): Promise<Result> {
  const store = await openHistory(options, console);
  try {
    const result = await read(store);
    checkReadable(store);
    return result;
  } finally {
    await store.close();
  }
}
