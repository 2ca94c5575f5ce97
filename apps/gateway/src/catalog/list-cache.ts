/**
 * Owns the last known list of tools of each server: in memory, and in a file for the next start.
 *
 * Invariant: the file is a cache: one that is missing, broken or of another server's making is as good as none.
 */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { McpServerEntry } from '@holdfast/manifest';
import { isJsonObject, type JsonObject } from '@holdfast/mcp-wire/server';
import { canonicalJson } from './canonical-json.ts';
import { replaceFile } from './lock-file.ts';

export interface ListCache {
  /** What the server offered last, as it is configured now. */
  get(server: string, entry: McpServerEntry): readonly JsonObject[] | undefined;
  set(server: string, entry: McpServerEntry, tools: readonly JsonObject[]): void;
  /** Resolves when what was set is written. */
  saved(): Promise<void>;
}

interface KnownList {
  readonly made: string;
  readonly tools: readonly JsonObject[];
}

/** `file` absent: in memory only. `onFault` hears what could not be written. */
export async function openListCache(file: string | undefined, onFault: (error: unknown) => void = () => {}): Promise<ListCache> {
  const lists = file === undefined ? new Map<string, KnownList>() : await readLists(file);
  let saving: Promise<void> | undefined;
  let queue: Promise<void> = Promise.resolve();
  const save = async (path: string): Promise<void> => {
    await queue;
    saving = undefined;
    await replaceFile(path, JSON.stringify({ version: 1, servers: Object.fromEntries(lists) })).catch(onFault);
  };
  return {
    get(server, entry) {
      const known = lists.get(server);
      return known?.made === madeOf(entry) ? known.tools : undefined;
    },
    set(server, entry, tools) {
      lists.set(server, { made: madeOf(entry), tools });
      if (file === undefined || saving !== undefined) return;
      saving = save(file);
      queue = saving;
    },
    saved: () => queue,
  };
}

/** What a server is reached by: another program or address is another server. */
export function madeOf(entry: McpServerEntry): string {
  const parts = 'url' in entry ? { url: entry.url } : { command: entry.command, args: entry.args, cwd: entry.cwd };
  return createHash('sha256').update(canonicalJson(parts)).digest('hex').slice(0, 16);
}

async function readLists(file: string): Promise<Map<string, KnownList>> {
  try {
    const cache: unknown = JSON.parse(await readFile(file, 'utf8'));
    const servers = isJsonObject(cache) && cache['version'] === 1 && isJsonObject(cache['servers']) ? cache['servers'] : {};
    return new Map(Object.entries(servers).flatMap(([server, known]) => (isKnownList(known) ? [[server, known] as const] : [])));
  } catch {
    return new Map();
  }
}

function isKnownList(value: unknown): value is KnownList {
  return (
    isJsonObject(value) &&
    typeof value['made'] === 'string' &&
    Array.isArray(value['tools']) &&
    value['tools'].every((tool: unknown) => isJsonObject(tool) && typeof tool['name'] === 'string' && tool['name'] !== '')
  );
}
