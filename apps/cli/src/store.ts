/** Owns where the trace is kept: which file, opened to write for a run and only to read for everything else. */
import { programName } from './terminal/program-name.ts';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Manifest } from '@holdfast/manifest';
import { type SqliteStore, isConfigurationError, sqliteStore } from '@holdfast/store-sqlite';
import { type GlobalOptions, displayed, loadConfig } from './config.ts';
import { UsageError } from './exit-codes.ts';
import type { Console } from './terminal/console.ts';

type StorePlace = Omit<Exclude<Manifest['store'], false>, 'retentionDays'> & { readonly retentionDays: number };

/** `undefined`: nothing is kept. */
function placeOf({ store: given }: GlobalOptions, manifest: Manifest | undefined): StorePlace | undefined {
  if (given === 'none') return undefined;
  const entry = manifest?.store || undefined;
  const retentionDays = entry?.retentionDays ?? Number.POSITIVE_INFINITY;
  if (given !== undefined) return { path: resolve(given), durability: entry?.durability ?? 'normal', retentionDays };
  return entry && { ...entry, retentionDays };
}

/** @throws UsageError when the path can never work. */
function open(options: Parameters<typeof sqliteStore>[0]): SqliteStore {
  try {
    return sqliteStore(options);
  } catch (error) {
    if (isConfigurationError(error)) throw new UsageError(error.message);
    throw error;
  }
}

/** For a run. A file that cannot be written is told once; the turn goes on. */
export function openStore(options: GlobalOptions, manifest: Manifest, onFault: (problem: string) => void): SqliteStore | undefined {
  const place = placeOf(options, manifest);
  if (!place) return undefined;
  return open({
    ...place,
    onFault: ({ ok, problem }) => onFault(ok ? 'The trace store works again.' : (problem ?? 'The trace store failed.')),
  });
}

/** Where the trace is kept; `undefined` when it is not. */
export const storePath = (options: GlobalOptions, manifest: Manifest): string | undefined => placeOf(options, manifest)?.path;

export const openToRead = (path: string): SqliteStore => open({ path, readOnly: true });

/** Only to read. @throws UsageError when there is nothing to read. */
async function openHistory(options: GlobalOptions, console: Console): Promise<SqliteStore> {
  const manifest = options.store === undefined ? await loadConfig(options, console) : undefined;
  const place = placeOf(options, manifest);
  if (!place)
    throw new UsageError(
      'nothing is kept: the store is switched off.\nName one with --store <path>, or remove "store: false" from the manifest.',
    );
  if (!existsSync(place.path)) {
    throw new UsageError(`there is no trace yet at ${displayed(place.path)}.\nRun a turn first: ${programName()} run <turn.yaml>`);
  }
  return openToRead(place.path);
}

/** A read that failed answers as if nothing were known; this tells the difference. */
export function checkReadable(store: SqliteStore): void {
  const { ok, problem } = store.status();
  if (!ok) throw new UsageError(problem ?? `${displayed(store.path)} cannot be read.`);
}

/** Opens the history for one question and closes it whatever comes. */
export async function withHistory<Answer>(
  options: GlobalOptions,
  console: Console,
  question: (store: SqliteStore) => Promise<Answer>,
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
