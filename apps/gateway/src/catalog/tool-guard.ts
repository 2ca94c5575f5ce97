/**
 * Owns the decision of the lock file about the tools that a server lists: trusted on first use, then only while unchanged.
 *
 * Invariants
 * 1. The first non-empty list of a server is recorded. After that, no change is trusted automatically, except a new tool in mode `warn`.
 * 2. Only what a server itself lists is recorded: a remembered list is compared, but never trusted.
 * 3. The file is read again for each check, so changes by others apply and are kept. A file that has become invalid is reported and not overwritten.
 */
import { basename } from 'node:path';
import { Pauses } from '@holdfast/mcp-wire/client';
import type { JsonObject } from '@holdfast/mcp-wire/server';
import type { CatalogNote } from './entry.ts';
import { hashDefinition, hashOf, lockOf, readLock, type ToolLock, writeLock } from './lock-file.ts';

export interface ToolGuardOptions {
  readonly mode: 'off' | 'warn' | 'block';
  /** Absolute path. */
  readonly file: string;
  /** Decides in the same way, and records nothing. @default false */
  readonly isReadOnly?: boolean;
}

interface GuardVerdict {
  /** Why a tool is not offered, by the server's name of the tool. */
  readonly withheld: ReadonlyMap<string, string>;
  readonly notes: readonly CatalogNote[];
}

export interface ToolGuard {
  /** Checks a list of a server, and records it on first use. Never rejects. */
  check(server: string, tools: readonly JsonObject[]): Promise<GuardVerdict>;
  /** Checks a list from an earlier start, and records nothing. Never rejects. */
  compare(server: string, tools: readonly JsonObject[]): Promise<GuardVerdict>;
}

const empty: ToolLock = { version: 1, servers: {} };
const nothing: GuardVerdict = { withheld: new Map(), notes: [] };

/** The options are read for each check. Rejects with `LOCK_FILE_BROKEN` for a file that cannot be read. */
export async function openToolGuard(options: () => ToolGuardOptions): Promise<ToolGuard> {
  const { mode: firstMode, file: firstFile } = options();
  let lock: ToolLock = firstMode === 'off' ? empty : ((await readLock(firstFile)) ?? empty);
  let queue: Promise<unknown> = Promise.resolve();

  const decide = async (server: string, tools: readonly JsonObject[], records: boolean): Promise<GuardVerdict> => {
    const { mode, file, isReadOnly = false } = options();
    if (mode === 'off') return nothing;
    const notes: CatalogNote[] = [];
    try {
      lock = (await readLock(file)) ?? empty;
    } catch (error) {
      notes.push(describeWriteFailure(server, error));
    }
    const { fresh, ...verdict } = await compare(
      { mode, file, server, records, known: Object.hasOwn(lock.servers, server) ? lock.servers[server] : undefined },
      tools,
    );
    if (fresh !== undefined && !isReadOnly) {
      lock = withAdded(lock, lockOf(fresh.map((definition) => ({ server, definition }))), server);
      if (notes.length === 0) await writeLock(file, lock).catch((error: unknown) => notes.push(describeWriteFailure(server, error)));
    }
    return { ...verdict, notes: [...verdict.notes, ...notes] };
  };

  const inTurn = (server: string, tools: readonly JsonObject[], records: boolean): Promise<GuardVerdict> => {
    const deciding = queue.then(() => decide(server, tools, records));
    queue = deciding.catch(() => undefined);
    return deciding;
  };
  return {
    check: (server, tools) => inTurn(server, tools, true),
    compare: (server, tools) => inTurn(server, tools, false),
  };
}

interface Comparison {
  readonly mode: 'warn' | 'block';
  readonly file: string;
  readonly server: string;
  /** Whether new definitions may be recorded. */
  readonly records: boolean;
  /** `undefined` for a server that is not in the file. */
  readonly known: Readonly<Record<string, string>> | undefined;
}

/** `fresh` are the definitions to record. */
async function compare(
  { mode, file, server, records, known }: Comparison,
  tools: readonly JsonObject[],
): Promise<GuardVerdict & { readonly fresh?: readonly JsonObject[] }> {
  const fresh: JsonObject[] = [];
  const withheld = new Map<string, string>();
  const notes: CatalogNote[] = [];
  const pauses = new Pauses();
  for (const definition of tools) {
    if (pauses.isDue) await pauses.pause();
    const tool = String(definition['name']);
    const hash = hashDefinition(definition);
    const locked = hashOf(known, tool);
    if (locked === hash) continue;
    const isNew = locked === undefined;
    const isTrusted = isNew && (known === undefined || mode === 'warn');
    if (isTrusted && records) fresh.push(definition);
    if (known === undefined || (isTrusted && !records)) continue;
    const message = describeDifference({ server, tool, hash, file, isNew, isBlocked: mode === 'block' });
    notes.push({ kind: isNew ? 'lock_new' : 'lock_changed', message, server, toolName: tool });
    if (mode === 'block') withheld.set(tool, message);
  }
  return { withheld, notes, ...(fresh.length > 0 ? { fresh } : {}) };
}

function describeWriteFailure(server: string, error: unknown): CatalogNote {
  return { kind: 'lock_broken', server, message: String((error as { readonly message?: unknown }).message ?? error) };
}

function withAdded({ servers, definitions }: ToolLock, added: ToolLock, server: string): ToolLock {
  return {
    version: 1,
    servers: { ...servers, [server]: { ...servers[server], ...added.servers[server] } },
    definitions: { ...definitions, [server]: { ...definitions?.[server], ...added.definitions?.[server] } },
  };
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
    : `The definition of tool '${tool}' of server '${server}' differs from the one in ${name}`;
  const then = isBlocked ? 'it is not offered' : isNew ? 'it has been added' : 'it is still offered (tool_lock: warn)';
  const hint =
    isNew && !isBlocked
      ? ''
      : ` To see what has changed and accept it: holdfast lock. Or set "${tool}": "${hash}" under servers.${server} in ${file}, or delete the server there to trust its current tools.`;
  return `${what}: ${then}.${hint}`;
}
