/**
 * Owns the catalog: the tools that are offered now, from the manifest itself, from exposed servers and from other sources.
 *
 * Invariants
 * 1. Reading never waits; `ready` waits for the first answer of each server, but not longer than its limit.
 * 2. An unchanged entry stays the same object, and so does its tool.
 * 3. A server that is down does not affect the others, and keeps its last list.
 */
import { createSystem, type Middleware, type System } from '@holdfast/core';
import { assemble, type Made } from './assemble-list.ts';
import type { Catalog, CatalogInput } from './catalog.ts';
import type { CatalogEntry, CatalogNote } from './entry.ts';
import { gatherCandidates } from './gather-candidates.ts';
import { knownServers, type ListedServer } from './known-servers.ts';
import { type ListCache, fingerprintOf, openListCache } from './list-cache.ts';
import { serverToolOf } from './manifest-tools.ts';
import { openToolGuard, type ToolGuard, type ToolGuardOptions } from './tool-guard.ts';
import { unusedEntries } from './unused-entries.ts';
import type { RunUpstream } from './upstream-tool.ts';
import { withheldReason } from './explain-withheld.ts';
import { waitAtMost } from '../plain/wait-at-most.ts';

/** The part of the upstreams that the catalog uses. */
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
  /** File for the last known lists, for the next start. @default in memory only */
  readonly cacheFile?: string | undefined;
  /** How long `ready` waits. @default 2000 */
  readonly readyMs?: number;
  /** How long a listing may take before it counts as failed. @default 30000 */
  readonly requestTimeoutMs?: number;
  /** Called once for each note. */
  readonly onNote?: (note: CatalogNote) => void;
  readonly system?: System;
}

/** Lists the tools of every server in the background, starting at once. Rejects with `LOCK_FILE_BROKEN` for a lock file that cannot be read. */
export async function createCatalog(input: CatalogInput, options: CatalogOptions): Promise<Catalog> {
  const noteFault = (error: unknown): void =>
    options.onNote?.({
      kind: 'cache_failed',
      message: `The list of tools cannot be saved for the next start: ${String((error as Error).message)}`,
    });
  let current = input;
  const guardOptions = (): ToolGuardOptions => ({ mode: current.manifest.gateway.toolLock, file: current.manifest.gateway.lockFile });
  const [guard, cache] = await Promise.all([openToolGuard(guardOptions), openListCache(options.cacheFile, noteFault)]);
  const catalog = openCatalog(input, options, guard, cache);
  return {
    ...catalog,
    apply(next) {
      current = next;
      catalog.apply(next);
    },
  };
}

function openCatalog(first: CatalogInput, options: CatalogOptions, guard: ToolGuard, cache: ListCache): Catalog {
  const { upstreams, run, wrap, readyMs = 2000, requestTimeoutMs = 30_000, onNote, system = createSystem() } = options;
  const listeners = new Set<() => void>();
  const noted = new Set<string>();
  let changeCount = 0;
  let input = first;
  let made: ReadonlyMap<string, Made> = new Map();
  let entries: readonly CatalogEntry[] = [];
  let byName: ReadonlyMap<string, CatalogEntry> = new Map();
  let notes: readonly CatalogNote[] = [];
  const known = knownServers({ cache, guard, system, requestTimeoutMs, onChange: () => rebuild() });

  const rebuild = (): void => {
    const candidates = gatherCandidates(input, known, {
      names: input.manifest.gateway.names,
      run,
      wrap,
      defaults: input.manifest.defaults,
    });
    const next = assemble(candidates, made, input.manifest.gateway.names.maxLength);
    made = next.made;
    notes = [
      ...next.notes,
      ...upstreams.all().flatMap(({ name }) => known.get(name)?.notes ?? []),
      ...unusedEntries(input.manifest, known),
    ];
    for (const note of notes) {
      if (noted.has(note.message)) continue;
      noted.add(note.message);
      onNote?.(note);
    }
    if (isSameList(entries, next.entries)) return;
    entries = next.entries;
    byName = new Map(entries.map((entry) => [entry.name, entry]));
    notifyChange();
  };

  const notifyChange = (): void => {
    changeCount++;
    for (const listener of listeners) {
      try {
        listener();
      } catch (error) {
        onNote?.({ kind: 'listener_failed', message: `A listener failed for the new list of tools: ${String((error as Error).message)}` });
      }
    }
  };

  /** Notifies listeners even if the list is the same: the server has announced a change. */
  const refreshAndNotify = async (server: string): Promise<void> => {
    const before = changeCount;
    await refresh(server);
    if (changeCount === before) notifyChange();
  };

  const wanted = (): readonly ListedServer[] => {
    const named = new Set(input.manifest.tools.map((entry) => serverToolOf(entry)?.server));
    return upstreams.all().filter(({ name, entry }) => entry.expose || named.has(name));
  };
  const refreshAll = async (): Promise<void> => void (await Promise.all(wanted().map((upstream) => known.refresh(upstream))));

  const refresh = async (server: string): Promise<void> => {
    const upstream = wanted().find(({ name }) => name === server);
    if (upstream !== undefined) await known.refresh(upstream);
  };

  let firstAnswers = refreshAll();
  rebuild();
  const unsubscribes = [
    upstreams.subscribe(({ name }, method) => {
      if (method === 'notifications/tools/list_changed') void refreshAndNotify(name);
    }),
    upstreams.subscribeStatus((upstream) => {
      if (upstream !== undefined && known.isStale(upstream)) void refresh(upstream.name);
    }),
  ];

  return {
    list: () => entries,
    get: (name) => byName.get(name),
    withheld: (name) => withheldReason(name, input.manifest, known),
    ready: async () => {
      await waitAtMost(firstAnswers, readyMs, system);
    },
    refresh: (server) => (server === undefined ? refreshAll() : refresh(server)),
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    apply(next) {
      const before = input.manifest;
      input = next;
      for (const [name, entry] of Object.entries(before.mcpServers)) {
        const after = next.manifest.mcpServers[name];
        if (after === undefined || fingerprintOf(after) !== fingerprintOf(entry)) known.forget(name);
      }
      firstAnswers = refreshAll();
      rebuild();
    },
    notes: () => notes,
    async close() {
      for (const stop of unsubscribes) stop();
      known.close();
      listeners.clear();
      await cache.saved();
    },
  };
}

function isSameList(before: readonly CatalogEntry[], after: readonly CatalogEntry[]): boolean {
  return before.length === after.length && before.every((entry, index) => entry === after[index]);
}
