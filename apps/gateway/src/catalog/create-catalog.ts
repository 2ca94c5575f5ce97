/**
 * Owns the catalog: which servers are asked for their tools, and when. Does not own the list built from the answers (`offered-list.ts`).
 *
 * Invariants
 * 1. Reading never waits; `ready` waits for a first answer of each server, and not longer than its limit.
 * 2. A server that is down does not affect the others, and keeps its last tools.
 */
import { createSystem, type Middleware, type System } from '@holdfast/core';
import type { Manifest, McpServerEntry } from '@holdfast/manifest';
import type { Catalog, CatalogInput } from './catalog.ts';
import type { CatalogNote } from './entry.ts';
import { KnownServers, type ListedServer } from './known-servers.ts';
import { LockedLists } from './locked-lists.ts';
import { type ListCache, fingerprintOf, openListCache } from './list-cache.ts';
import { serverToolOf } from './manifest-tools.ts';
import { OfferedList, type OfferedListOptions } from './offered-list.ts';
import { openToolGuard, type ToolGuard, type ToolGuardOptions } from './tool-guard.ts';
import type { RunUpstream } from './upstream-tool.ts';
import { withheldReason, withheldTools, withholdsInstructions } from './explain-withheld.ts';
import { unlistedServer } from './find-unlisted.ts';
import { watchLock } from './watch-lock.ts';
import { waitAtMost } from '@holdfast/core/internal/plain';

/** The part of the upstreams that is used here. */
interface ListedServers {
  all(): readonly ListedServer[];
  subscribe(listener: (upstream: ListedServer, method: string) => void): () => void;
  subscribeStatus(listener: (upstream: ListedServer | undefined) => void): () => void;
}

export interface CatalogOptions {
  readonly upstreams: ListedServers;
  /** Runs the tools of servers. */
  readonly run: RunUpstream;
  /** Wrapped around the runners of all other tools. */
  readonly wrap?: Middleware;
  /** Where the last known lists are kept for the next start. @default in memory only */
  readonly cacheFile?: string | undefined;
  /** Whether tools of new servers are recorded in the lock file. @default true */
  readonly recordTools?: boolean | undefined;
  /** How long `ready` waits. @default 2000 */
  readonly readyMs?: number;
  /** How long a listing may take before it counts as failed. @default 30000 */
  readonly requestTimeoutMs?: number;
  /** Called with each new list before it replaces the last one. */
  readonly offer?: OfferedListOptions['offer'];
  /** Called with what is left when a reload removes or replaces a server. */
  readonly withdraw?: OfferedListOptions['withdraw'];
  /** Called once for each note. */
  readonly onNote?: (note: CatalogNote) => void;
  readonly system?: System;
}

/** Asks every server at once, in the background. Rejects with `LOCK_FILE_BROKEN` for a lock file that cannot be read. */
export async function createCatalog(input: CatalogInput, options: CatalogOptions): Promise<Catalog> {
  const noteFault = (error: unknown): void =>
    options.onNote?.({
      kind: 'cache_failed',
      message: `The list of tools cannot be saved for the next start: ${String((error as Error).message)}`,
    });
  let current = input;
  const isReadOnly = options.recordTools === false;
  const guardOptions = (): ToolGuardOptions => {
    const { toolLock: mode, lockFile: file } = current.manifest.gateway;
    return { mode, file, isReadOnly };
  };
  const [guard, cache] = await Promise.all([openToolGuard(guardOptions), openListCache(options.cacheFile, noteFault)]);
  const catalog = await openCatalog(input, options, guard, cache);
  return {
    ...catalog,
    apply(next) {
      current = next;
      return catalog.apply(next);
    },
  };
}

/** The servers that are gone, or reached in another way. */
function replacedServers(before: Manifest, { mcpServers }: Manifest): ReadonlySet<string> {
  const isReplaced = (name: string, entry: McpServerEntry): boolean => {
    const after = mcpServers[name];
    return after === undefined || fingerprintOf(after) !== fingerprintOf(entry);
  };
  return new Set(Object.entries(before.mcpServers).flatMap(([name, entry]) => (isReplaced(name, entry) ? [name] : [])));
}

/** The servers that are exposed, or that run a tool of the manifest. */
function requiredOf(upstreams: ListedServers, { manifest }: CatalogInput): readonly ListedServer[] {
  const named = new Set(manifest.tools.map((entry) => serverToolOf(entry)?.server));
  return upstreams.all().filter(({ name, entry }) => entry.expose || named.has(name));
}

async function openCatalog(first: CatalogInput, options: CatalogOptions, guard: ToolGuard, cache: ListCache): Promise<Catalog> {
  const { upstreams, readyMs = 2000, requestTimeoutMs = 30_000, system = createSystem() } = options;
  let input = first;
  const rebuild = (): Promise<void> => offered.rebuild(input);
  const known = new KnownServers({ cache, guard, system, requestTimeoutMs, onChange: rebuild });
  const offered = new OfferedList({ ...options, known });
  const lists = new LockedLists(guard, (notes) => offered.report(notes));

  const requiredServers = (): readonly ListedServer[] => requiredOf(upstreams, input);
  const refreshAll = async (): Promise<void> => void (await Promise.all(requiredServers().map((upstream) => known.refresh(upstream))));
  const refresh = async (server: string): Promise<void> => {
    const upstream = requiredServers().find(({ name }) => name === server);
    if (upstream !== undefined) await known.refresh(upstream);
  };

  let firstAnswers = refreshAll();
  await known.recalled();
  await rebuild();
  const lockPath = (): string | undefined => (input.manifest.gateway.toolLock === 'off' ? undefined : input.manifest.gateway.lockFile);
  const deaf = [
    watchLock(lockPath, () => known.recheck().then(lists.lockChanged)),
    upstreams.subscribe(({ name }, method) => {
      if (method === 'notifications/tools/list_changed') void offered.notifyAfter(() => refresh(name));
    }),
    upstreams.subscribeStatus((upstream) => {
      if (upstream !== undefined && known.isStale(upstream)) void refresh(upstream.name);
    }),
  ];

  return {
    list: () => offered.entries,
    get: (name) => offered.get(name),
    withheld: (name) => withheldReason(name, input.manifest, known),
    withheldTools: (server) => withheldTools(server, known),
    withholdsInstructions: (server, instructions) => withholdsInstructions(server, instructions, input.manifest, known),
    withheldParts: lists.check,
    subscribeLock: lists.subscribeLock,
    unlisted: (name) => unlistedServer(name, input.manifest, known),
    ready: async () => {
      await waitAtMost(system, firstAnswers, readyMs, true);
    },
    refresh: (server) => (server === undefined ? refreshAll() : refresh(server)),
    subscribe: (listener) => offered.subscribe(listener),
    apply(next) {
      const before = input.manifest;
      input = next;
      const replaced = replacedServers(before, next.manifest);
      for (const name of replaced) known.forget(name);
      const own = new Set(next.manifest.tools.map((entry) => entry.name));
      if (replaced.size > 0) offered.withdraw(({ name, source }) => source.kind === 'mcp' && replaced.has(source.server) && !own.has(name));
      firstAnswers = refreshAll();
      return rebuild();
    },
    notes: () => [...offered.notes, ...lists.notes],
    async close() {
      for (const stop of deaf) stop();
      known.close();
      offered.close();
      await cache.saved();
    },
  };
}
