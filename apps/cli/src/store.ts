/** Owns where the trace is kept: in which file or database, opened to write for a run and only to read for everything else. */
import { programName } from './terminal/program-name.ts';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Manifest, SqliteStoreEntry } from '@holdfast/manifest';
import { isConfigurationError, sqliteStore } from '@holdfast/store-sqlite';
import { type GlobalOptions, displayed, loadConfig } from './config.ts';
import { UsageError } from './exit-codes.ts';
import { type DatabasePlace, databaseOf, isDatabaseUrl, openDatabase } from './store/database.ts';
import type { TraceStore } from './store/trace-store.ts';
import type { Console } from './terminal/console.ts';

type FilePlace = Omit<SqliteStoreEntry, 'retentionDays'> & { readonly retentionDays: number };

/** `undefined`: nothing is kept. */
export type StorePlace = { readonly file: FilePlace } | { readonly database: DatabasePlace };

/** @throws UsageError when a password that the manifest takes from the environment is not there. */
export function placeOf({ store: given }: GlobalOptions, manifest: Manifest | undefined): StorePlace | undefined {
  if (given === 'none') return undefined;
  const entry = manifest?.store || undefined;
  const retentionDays = entry?.retentionDays ?? Number.POSITIVE_INFINITY;
  if (given !== undefined && isDatabaseUrl(given)) return { database: databaseOf(entry, retentionDays, given) };
  if (given === undefined && entry && 'postgres' in entry) return { database: databaseOf(entry, retentionDays) };
  const ofFile = entry && 'path' in entry ? entry : undefined;
  if (given !== undefined) return { file: { path: resolve(given), durability: ofFile?.durability ?? 'normal', retentionDays } };
  return ofFile && { file: { ...ofFile, retentionDays } };
}

/** @throws UsageError when the path can never work. */
function openFile(options: Parameters<typeof sqliteStore>[0]): TraceStore {
  try {
    return { ...sqliteStore(options), place: displayed(options.path) };
  } catch (error) {
    if (isConfigurationError(error)) throw new UsageError(error.message);
    throw error;
  }
}

/** For a run. What cannot be written is told once; the turn continues. @throws UsageError when it can never work. */
export async function openStore(
  options: GlobalOptions,
  manifest: Manifest,
  onFault: (problem: string) => void,
): Promise<TraceStore | undefined> {
  const place = placeOf(options, manifest);
  if (!place) return undefined;
  const reportStatus = ({ ok, problem }: { readonly ok: boolean; readonly problem?: string }): void =>
    onFault(ok ? 'The trace store works again.' : (problem ?? 'The trace store failed.'));
  return 'database' in place ? openDatabase(place.database, { onFault: reportStatus }) : openFile({ ...place.file, onFault: reportStatus });
}

export const openToRead = async (place: StorePlace): Promise<TraceStore> =>
  'database' in place ? openDatabase(place.database, { readOnly: true }) : openFile({ path: place.file.path, readOnly: true });

/** Only to read. @throws UsageError when there is nothing to read. */
async function openHistory(options: GlobalOptions, console: Console): Promise<TraceStore> {
  const manifest = options.store === undefined ? await loadConfig(options, console) : undefined;
  const place = placeOf(options, manifest);
  if (!place)
    throw new UsageError(
      'nothing is kept: the store is switched off.\nName one with --store <path>, or remove "store: false" from the manifest.',
    );
  if ('file' in place && !existsSync(place.file.path)) {
    throw new UsageError(`there is no trace yet at ${displayed(place.file.path)}.\nRun a turn first: ${programName()} run <turn.yaml>`);
  }
  return openToRead(place);
}

/** A read that failed answers as if nothing were known; this tells the difference. */
export function checkReadable(store: TraceStore): void {
  const { ok, problem } = store.status();
  if (!ok) throw new UsageError(problem ?? `${store.place} cannot be read.`);
}

/** Opens the history for one question and closes it whatever comes. */
export async function withHistory<Answer>(
  options: GlobalOptions,
  console: Console,
  question: (store: TraceStore) => Promise<Answer>,
): Promise<Answer> {
  const store = await openHistory(options, console);
  try {
    const answer = await question(store);
    checkReadable(store);
    return answer;
  } finally {
    await store.close();
  }
}
