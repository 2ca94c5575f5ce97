/**
 * Owns the known tools of each server, and listing them again.
 *
 * Invariants
 * 1. A server has at most one listing at a time; a refresh during a listing gets the result of a further one.
 * 2. A server that does not answer keeps its last list, degraded, and is listed again in the background with exponential backoff.
 */
import type { System, TimerHandle } from '@holdfast/core';
import type { McpServerEntry } from '@holdfast/manifest';
import type { JsonObject } from '@holdfast/mcp-wire/server';
import type { McpServer } from '@holdfast/runners';
import type { CatalogNote } from './entry.ts';
import type { ListCache } from './list-cache.ts';
import { type ListedTools, listTools } from './list-tools.ts';
import type { ToolGuard } from './tool-guard.ts';

/** The part of an upstream that the catalog uses. */
export interface ListedServer {
  readonly name: string;
  readonly entry: McpServerEntry;
  readonly server: Pick<McpServer, 'request' | 'status'>;
}

export interface ServerTools {
  readonly tools: readonly JsonObject[];
  readonly degraded: boolean;
  readonly withheld: ReadonlyMap<string, string>;
  readonly notes: readonly CatalogNote[];
}

export interface KnownServersOptions {
  readonly cache: ListCache;
  readonly guard: ToolGuard;
  readonly system: System;
  /** Time limit of one listing. */
  readonly requestTimeoutMs: number;
  readonly onChange: () => void;
}

export interface KnownServers {
  /** Returns `undefined` for a server of which nothing is known yet. */
  get(server: string): ServerTools | undefined;
  refresh(upstream: ListedServer): Promise<void>;
  /** Whether the server is up on another connection than the one its list was read from. */
  isStale(upstream: ListedServer): boolean;
  forget(server: string): void;
  close(): void;
}

interface Known {
  upstream: ListedServer;
  state: ServerTools;
  asking: Promise<void> | undefined;
  /** The listing that starts when the current one has ended. */
  next: Promise<void> | undefined;
  /** Number of the connection from which the list was read. */
  connection: number | undefined;
  failures: number;
  retry: TimerHandle | undefined;
}

const firstRetryMs = 1000;
const maxRetryMs = 60_000;
const nothing: ServerTools = { tools: [], degraded: false, withheld: new Map(), notes: [] };

export function knownServers({ cache, guard, system, requestTimeoutMs, onChange }: KnownServersOptions): KnownServers {
  const servers = new Map<string, Known>();
  let isClosed = false;

  const knownOf = (upstream: ListedServer): Known => {
    let known = servers.get(upstream.name);
    if (known === undefined) {
      const last = cache.get(upstream.name, upstream.entry);
      const state = last === undefined ? nothing : { ...nothing, tools: last, degraded: true };
      known = { upstream, state, asking: undefined, next: undefined, connection: undefined, failures: 0, retry: undefined };
      servers.set(upstream.name, known);
    }
    known.upstream = upstream;
    return known;
  };

  const ask = async (known: Known): Promise<void> => {
    const { name, entry, server } = known.upstream;
    try {
      const { tools, flaws } = await listAgain(known, server);
      await take(
        known,
        tools,
        false,
        flaws.map((flaw): CatalogNote => ({ kind: 'bad_definition', server: name, message: `Server '${name}': ${flaw}.` })),
      );
      known.failures = 0;
      known.connection = server.status().restarts;
      cache.set(name, entry, tools);
    } catch (error) {
      const message = `The tools of server '${name}' cannot be listed: ${String((error as { readonly message?: unknown } | undefined)?.message ?? error)}`;
      await take(known, known.state.tools, known.state.tools.length > 0, [{ kind: 'list_failed', server: name, message }]);
      retryLater(known);
    }
    if (servers.get(name) === known) onChange();
  };

  /** Lists once more before the tools count as degraded: the server may just have restarted. */
  const listAgain = async ({ state }: Known, server: ListedServer['server']): Promise<ListedTools> => {
    const signal = AbortSignal.timeout(requestTimeoutMs);
    const list = (): Promise<ListedTools> => listTools((method, params, options) => server.request(method, params, options), signal);
    if (state.degraded || state.tools.length === 0) return list();
    try {
      return await list();
    } catch (error) {
      if (signal.aborted) throw error;
      return list();
    }
  };

  const take = async (known: Known, tools: readonly JsonObject[], degraded: boolean, notes: readonly CatalogNote[]): Promise<void> => {
    const verdict = await guard.check(known.upstream.name, tools);
    known.state = { tools, degraded, withheld: verdict.withheld, notes: [...notes, ...verdict.notes] };
  };

  const retryLater = (known: Known): void => {
    if (isClosed || known.retry !== undefined) return;
    const delayMs = Math.min(firstRetryMs * 2 ** known.failures++, maxRetryMs);
    known.retry = system.setTimer(delayMs, () => void refresh(known.upstream), true);
  };

  const start = (known: Known): Promise<void> => {
    if (known.retry !== undefined) system.clearTimer(known.retry);
    known.retry = undefined;
    known.asking = ask(known).finally(() => {
      known.asking = undefined;
    });
    return known.asking;
  };

  const refresh = (upstream: ListedServer): Promise<void> => {
    if (isClosed) return Promise.resolve();
    const known = knownOf(upstream);
    if (known.asking === undefined) return start(known);
    known.next ??= known.asking.then(() => {
      known.next = undefined;
      return isClosed ? undefined : start(known);
    });
    return known.next;
  };

  return {
    get: (server) => servers.get(server)?.state,
    refresh,
    isStale({ name, server }) {
      const known = servers.get(name);
      const { state, restarts } = server.status();
      return state === 'up' && known !== undefined && known.asking === undefined && known.connection !== restarts;
    },
    forget(server) {
      const retry = servers.get(server)?.retry;
      if (retry !== undefined) system.clearTimer(retry);
      servers.delete(server);
    },
    close() {
      isClosed = true;
      for (const { retry } of servers.values()) if (retry !== undefined) system.clearTimer(retry);
    },
  };
}
