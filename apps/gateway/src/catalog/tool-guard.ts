/**
 * Owns what the lock file decides about the tools a server lists: trusted on first use, then only as they were.
 *
 * Invariants
 * 1. A server's first list that is not empty is written down; after that nothing of it is trusted again by itself, but where the mode is `warn` a tool that is new.
 * 2. The file is read again each time: what others have decided in it counts, and is kept. One that is broken by then is left alone and told.
 */
import { basename } from 'node:path';
import type { JsonObject } from '@holdfast/mcp-wire/server';
import type { CatalogNote } from './entry.ts';
import { hashDefinition, hashOf, type LockedServers, readLock, writeLock } from './lock-file.ts';

export interface ToolGuardOptions {
  readonly mode: 'off' | 'warn' | 'block';
  /** Absolute. */
  readonly file: string;
}

interface GuardVerdict {
  /** By the server's name of the tool: why it is not offered. */
  readonly withheld: ReadonlyMap<string, string>;
  readonly notes: readonly CatalogNote[];
}

export interface ToolGuard {
  /** Told of every list as it came. Never rejects. */
  check(server: string, tools: readonly JsonObject[]): Promise<GuardVerdict>;
}

const nothing: GuardVerdict = { withheld: new Map(), notes: [] };

/** The options are read at each use. Rejects with `LOCK_FILE_BROKEN` for a file that cannot be read. */
export async function openToolGuard(options: () => ToolGuardOptions): Promise<ToolGuard> {
  const { mode: firstMode, file: firstFile } = options();
  let servers: LockedServers = firstMode === 'off' ? {} : ((await readLock(firstFile))?.servers ?? {});
  let queue: Promise<unknown> = Promise.resolve();

  const decide = async (server: string, tools: readonly JsonObject[]): Promise<GuardVerdict> => {
    const { mode, file } = options();
    if (mode === 'off') return nothing;
    const notes: CatalogNote[] = [];
    try {
      servers = (await readLock(file))?.servers ?? {};
    } catch (error) {
      notes.push(describeWriteFailure(server, error));
    }
    const { fresh, ...verdict } = compare(
      { mode, file, server, known: Object.hasOwn(servers, server) ? servers[server] : undefined },
      tools,
    );
    if (fresh !== undefined) {
      servers = withHashes(servers, server, fresh);
      if (notes.length === 0)
        await writeLock(file, { version: 1, servers }).catch((error: unknown) => notes.push(describeWriteFailure(server, error)));
    }
    return { ...verdict, notes: [...verdict.notes, ...notes] };
  };

  return {
    check(server, tools) {
      const deciding = queue.then(() => decide(server, tools));
      queue = deciding.catch(() => undefined);
      return deciding;
    },
  };
}

interface Comparison {
  readonly mode: 'warn' | 'block';
  readonly file: string;
  readonly server: string;
  /** `undefined`: the server was never seen. */
  readonly known: Readonly<Record<string, string>> | undefined;
}

/** `fresh`: what is to be written down. */
function compare(
  { mode, file, server, known }: Comparison,
  tools: readonly JsonObject[],
): GuardVerdict & { readonly fresh?: Readonly<Record<string, string>> } {
  const fresh: Record<string, string> = Object.create(null) as Record<string, string>;
  const withheld = new Map<string, string>();
  const notes: CatalogNote[] = [];
  for (const definition of tools) {
    const tool = String(definition['name']);
    const hash = hashDefinition(definition);
    const locked = hashOf(known, tool);
    if (locked === hash) continue;
    const isNew = locked === undefined;
    if (isNew && (known === undefined || mode === 'warn')) fresh[tool] = hash;
    if (known === undefined) continue;
    const message = describeDifference({ server, tool, hash, file, isNew, isBlocked: mode === 'block' });
    notes.push({ kind: isNew ? 'lock_new' : 'lock_changed', message, server, toolName: tool });
    if (mode === 'block') withheld.set(tool, message);
  }
  return { withheld, notes, ...(Object.keys(fresh).length > 0 ? { fresh } : {}) };
}

function describeWriteFailure(server: string, error: unknown): CatalogNote {
  return { kind: 'lock_broken', server, message: String((error as { readonly message?: unknown }).message ?? error) };
}

function withHashes(servers: LockedServers, server: string, hashes: Readonly<Record<string, string>>): LockedServers {
  return { ...servers, [server]: { ...servers[server], ...hashes } };
}

interface Difference {
  readonly server: string;
  readonly tool: string;
  readonly hash: string;
  readonly file: string;
  readonly isNew: boolean;
  readonly isBlocked: boolean;
}

function describeDifference({ server, tool, hash, file, isNew, isBlocked }: Difference): string {
  const name = basename(file);
  const what = isNew
    ? `Server '${server}' offers a tool '${tool}' that is not in ${name}`
    : `The definition of tool '${tool}' of server '${server}' is not the one in ${name}`;
  const then = isBlocked ? 'it is not offered' : isNew ? 'it has been added' : 'it is offered all the same (tool_lock: warn)';
  const hint =
    isNew && !isBlocked
      ? ''
      : ` If that is meant, put "${tool}": "${hash}" under servers.${server} in ${file}, or delete the server there to trust what it offers now.`;
  return `${what}: ${then}.${hint}`;
}
