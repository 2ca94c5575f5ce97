/**
 * Owns the servers behind the gateway: one for each entry of the manifest, and its replacement at a reload. Does not own what one of them does (`held-server.ts`).
 *
 * Invariants
 * 1. A server stays connected while its entry has the same address; how the gateway offers it may change.
 * 2. A server that was replaced or removed ends when its calls are done, at the latest after a limit.
 * 3. Nothing waits for a server to come up, and an entry that makes no server hurts no other.
 */
import { isDeepStrictEqual } from 'node:util';
import { type Manifest, mcpServerOptions } from '@holdfast/manifest';
import type { JsonObject } from '@holdfast/mcp-wire/client';
import { type McpServer, mcpServer, type McpServerOptions } from '@holdfast/runners';
import { HeldServer, type ServerSurroundings } from './held-server.ts';
import type { OnUpstreamFault, StatusListener, Upstream, UpstreamListener, Upstreams } from './upstream.ts';

export interface UpstreamsOptions {
  /** Answers requests of a server outside of any call. @default they are not answered */
  readonly answer?: (upstream: string, method: string, params: JsonObject) => Promise<JsonObject>;
  readonly onFault?: OnUpstreamFault;
  /** How long a replaced server may continue with its calls. @default 300000 */
  readonly retireMs?: number;
  /** @default `mcpServer` */
  readonly makeServer?: (options: McpServerOptions) => McpServer;
}

export function createUpstreams(manifest: Manifest, options: UpstreamsOptions = {}): Upstreams {
  const { answer, onFault = () => {}, retireMs = 300_000, makeServer = mcpServer } = options;
  const listeners = new Set<UpstreamListener>();
  const statusListeners = new Set<StatusListener>();
  const retiring = new Map<McpServer, Promise<void>>();
  let held: ReadonlyMap<string, HeldServer> = new Map();
  let exposed: readonly Upstream[] = [];
  let isKeptUp = false;
  let closing: Promise<void> | undefined;

  const around: ServerSurroundings = {
    makeServer,
    answer,
    onFault,
    onNotification(upstream, method, params) {
      for (const listener of listeners) listener(upstream, method, params);
    },
    onStatus(upstream) {
      for (const listener of statusListeners) listener(upstream);
    },
  };

  const retire = (gone: HeldServer): void => {
    const { server } = gone.upstream;
    const ended = gone.retire(retireMs).finally(() => retiring.delete(server));
    retiring.set(server, ended);
  };

  const apply = (next: Manifest): void => {
    if (closing !== undefined) return;
    const old = held;
    held = serversOf(next, old, around);
    exposed = [...held.values()].flatMap(({ upstream }) => (upstream.isExposed ? [upstream] : []));
    for (const [name, before] of old) if (held.get(name) !== before) retire(before);
    if (isKeptUp) for (const server of held.values()) server.keepUp();
    for (const listener of statusListeners) listener(undefined);
  };
  apply(manifest);

  return {
    apply,
    all: () => [...held.values()].map(({ upstream }) => upstream),
    exposed: () => exposed,
    get: (name) => held.get(name)?.upstream,
    subscribe: (listener) => addListener(listeners, listener),
    subscribeStatus: (listener) => addListener(statusListeners, listener),
    connect() {
      isKeptUp = true;
      for (const server of held.values()) server.keepUp();
    },
    status: () => [...held.values()].map(({ upstream: { name, isExposed, server } }) => ({ name, isExposed, ...server.status() })),
    close: () => (closing ??= closeAll(held.values(), retiring)),
  };
}

/** Those that are reached in the same words stay. */
function serversOf(
  { mcpServers, folder }: Manifest,
  old: ReadonlyMap<string, HeldServer>,
  around: ServerSurroundings,
): ReadonlyMap<string, HeldServer> {
  const held = new Map<string, HeldServer>();
  for (const [name, entry] of Object.entries(mcpServers)) {
    const options = mcpServerOptions(name, entry, folder);
    const before = old.get(name);
    if (before !== undefined && isDeepStrictEqual(before.options, options)) {
      held.set(name, before);
      if (!isDeepStrictEqual(before.upstream.entry, entry)) before.applyEntry(entry);
      continue;
    }
    try {
      held.set(name, new HeldServer(name, entry, options, around));
    } catch (error) {
      around.onFault({ upstream: name, operation: 'start', error });
    }
  }
  return held;
}

function addListener<Listener>(listeners: Set<Listener>, listener: Listener): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

async function closeAll(held: Iterable<HeldServer>, retiring: ReadonlyMap<McpServer, Promise<void>>): Promise<void> {
  const endings = [...held].map((server) => server.close());
  for (const [server, ended] of retiring) endings.push(server.close(), ended);
  await Promise.allSettled(endings);
}
