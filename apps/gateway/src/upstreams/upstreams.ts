/**
 * Owns the servers behind the gateway: one for each entry of the manifest, its notifications, its replacement at a reload.
 *
 * Invariants
 * 1. A server lives as long as its entry says how to reach it in the same words; what the gateway makes of it may change.
 * 2. A server that was replaced or removed ends when its calls are done, at the latest after a limit.
 * 3. Nothing waits for a server to come up, and an entry that makes no server hurts no other.
 */
import { isDeepStrictEqual } from 'node:util';
import { type Manifest, type McpServerEntry, mcpServerOptions } from '@holdfast/manifest';
import type { JsonObject } from '@holdfast/mcp-wire/client';
import { type McpServer, mcpServer, type McpServerOptions } from '@holdfast/runners';
import { type Keeper, keepUp } from './keep-up.ts';
import type { OnUpstreamFault, StatusListener, Upstream, UpstreamListener, Upstreams } from './upstream.ts';

export interface UpstreamsOptions {
  /** Answers requests of a server outside of any call. @default none are answered */
  readonly answer?: (upstream: string, method: string, params: JsonObject) => Promise<JsonObject>;
  readonly onFault?: OnUpstreamFault;
  /** How long a replaced server may continue with its calls. @default 300000 */
  readonly retireMs?: number;
  /** @default `mcpServer` */
  readonly makeServer?: (options: McpServerOptions) => McpServer;
}

/** What clients of the gateway may be able to do; whether the one that is asked can is looked at when a server asks. */
const clientCapabilities: JsonObject = {
  roots: { listChanged: true },
  sampling: { context: {}, tools: {} },
  elicitation: { form: {}, url: {} },
};

interface Held {
  upstream: Upstream;
  readonly options: McpServerOptions;
  readonly keeper: Keeper;
  readonly unsubscribe: () => void;
}

export function createUpstreams(manifest: Manifest, options: UpstreamsOptions = {}): Upstreams {
  const { answer, onFault = () => {}, retireMs = 300_000, makeServer = mcpServer } = options;
  const listeners = new Set<UpstreamListener>();
  const statusListeners = new Set<StatusListener>();
  const retiring = new Map<McpServer, Promise<void>>();
  let held = new Map<string, Held>();
  let exposed: readonly Upstream[] = [];
  let isKeptUp = false;
  let closing: Promise<void> | undefined;

  const hold = (name: string, entry: McpServerEntry, reach: McpServerOptions): Held => {
    const server = makeServer({
      ...reach,
      clientCapabilities,
      listen: true,
      ...(answer === undefined ? {} : { answer: (method, params) => answer(name, method, params) }),
    });
    const keeper = keepUp(server, (error) => onFault({ upstream: name, operation: 'connect', error }));
    const unsubscribe = server.subscribe((event) => {
      if (event.type === 'notification') for (const listener of listeners) listener(made.upstream, event.method, event.params);
      else {
        if (isKeptUp) keeper.check();
        for (const listener of statusListeners) listener(made.upstream);
      }
    });
    const made: Held = { upstream: upstreamOf(name, entry, server), options: reach, keeper, unsubscribe };
    return made;
  };

  const letGo = ({ upstream: { name, server }, keeper, unsubscribe }: Held): void => {
    keeper.stop();
    unsubscribe();
    const ended = server
      .retire(retireMs)
      .catch((error: unknown) => onFault({ upstream: name, operation: 'close', error }))
      .finally(() => retiring.delete(server));
    retiring.set(server, ended);
  };

  const apply = ({ mcpServers, folder }: Manifest): void => {
    if (closing !== undefined) return;
    const old = held;
    held = new Map();
    for (const [name, entry] of Object.entries(mcpServers)) {
      const reach = mcpServerOptions(name, entry, folder);
      const before = old.get(name);
      if (before === undefined || !isDeepStrictEqual(before.options, reach)) {
        const made = tried(
          () => hold(name, entry, reach),
          (error) => onFault({ upstream: name, operation: 'start', error }),
        );
        if (made !== undefined) held.set(name, made);
      } else {
        held.set(name, before);
        old.delete(name);
        if (!isDeepStrictEqual(before.upstream.entry, entry)) before.upstream = upstreamOf(name, entry, before.upstream.server);
      }
    }
    exposed = [...held.values()].flatMap(({ upstream }) => (upstream.isExposed ? [upstream] : []));
    for (const gone of old.values()) letGo(gone);
    if (isKeptUp) for (const { keeper } of held.values()) keeper.check();
    for (const listener of statusListeners) listener(undefined);
  };
  apply(manifest);

  return {
    apply,
    all: () => [...held.values()].map(({ upstream }) => upstream),
    exposed: () => exposed,
    get: (name) => held.get(name)?.upstream,
    subscribe: (listener) => added(listeners, listener),
    subscribeStatus: (listener) => added(statusListeners, listener),
    connect() {
      isKeptUp = true;
      for (const { keeper } of held.values()) keeper.check();
    },
    status: () => [...held.values()].map(({ upstream: { name, isExposed, server } }) => ({ name, isExposed, ...server.status() })),
    close: () => (closing ??= closeAll(held.values(), retiring)),
  };
}

const upstreamOf = (name: string, entry: McpServerEntry, server: McpServer): Upstream => ({
  name,
  entry,
  server,
  isExposed: entry.expose,
});

function added<Listener>(listeners: Set<Listener>, listener: Listener): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

function tried<Value>(make: () => Value, onError: (error: unknown) => void): Value | undefined {
  try {
    return make();
  } catch (error) {
    onError(error);
    return undefined;
  }
}

async function closeAll(held: Iterable<Held>, retiring: ReadonlyMap<McpServer, Promise<void>>): Promise<void> {
  const endings = [...held].map(({ upstream, keeper, unsubscribe }) => {
    keeper.stop();
    unsubscribe();
    return upstream.server.close();
  });
  for (const [server, ended] of retiring) endings.push(server.close(), ended);
  await Promise.allSettled(endings);
}
