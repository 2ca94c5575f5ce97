/**
 * Owns the last known tools of each server: in memory, and in a file for the next start.
 *
 * Invariant: the file is a cache: it is ignored if it is missing, invalid or from a server with another configuration.
 */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { McpServerEntry } from '@holdfast/manifest';
import { Pauses } from '@holdfast/mcp-wire/client';
import { isJsonObject, type JsonObject } from '@holdfast/mcp-wire/server';
import { canonicalJson } from './canonical-json.ts';
import { replaceFile } from '../plain/large-files.ts';

export interface ListCache {
  /** Returns the last list of the server with its current configuration. */
  get(server: string, entry: McpServerEntry): readonly JsonObject[] | undefined;
  set(server: string, entry: McpServerEntry, tools: readonly JsonObject[]): void;
  /** Resolves when all changes are written. */
  saved(): Promise<void>;
}

interface KnownList {
  readonly made: string;
  readonly tools: readonly JsonObject[];
}

/** Without `file`, in memory only. `onFault` is called when the file cannot be written. */
export async function openListCache(file: string | undefined, onFault: (error: unknown) => void = () => {}): Promise<ListCache> {
  const lists = file === undefined ? new Map<string, KnownList>() : await readLists(file);
  let saving: Promise<void> | undefined;
  let queue: Promise<void> = Promise.resolve();
  const save = async (path: string): Promise<void> => {
    await queue;
    saving = undefined;
    await replaceFile(path, textOf(lists)).catch(onFault);
  };
  return {
    get(server, entry) {
      const known = lists.get(server);
      return known?.made === fingerprintOf(entry) ? known.tools : undefined;
    },
    set(server, entry, tools) {
      const made = fingerprintOf(entry);
      const before = lists.get(server);
      if (before?.tools === tools && before.made === made) return;
      lists.set(server, { made, tools });
      if (file === undefined || saving !== undefined) return;
      saving = save(file);
      queue = saving;
    },
    saved: () => queue,
  };
}

/** Returns a fingerprint of how a server is reached: another command or URL is another server. */
export function fingerprintOf(entry: McpServerEntry): string {
  const parts = 'url' in entry ? { url: entry.url } : { command: entry.command, args: entry.args, cwd: entry.cwd };
  return createHash('sha256').update(canonicalJson(parts)).digest('hex').slice(0, 16);
}

/** Lists may have ten thousand tools: others are served between them. */
async function* textOf(lists: ReadonlyMap<string, KnownList>): AsyncGenerator<string> {
  const pauses = new Pauses();
  yield '{"version":1,"servers":{';
  let separator = '';
  for (const [server, { made, tools }] of lists) {
    yield `${separator}${JSON.stringify(server)}:{"made":${JSON.stringify(made)},"tools":[`;
    separator = ',';
    for (const [place, tool] of tools.entries()) {
      if (pauses.isDue) await pauses.pause();
      yield `${place === 0 ? '' : ','}${JSON.stringify(tool)}`;
    }
    yield ']}';
  }
  yield '}}';
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
