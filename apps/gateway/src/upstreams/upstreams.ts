/**
 * Owns the servers behind the gateway: one for each entry of the manifest, with its notifications and its replacement at a reload.
 *
 * Invariants
 * 1. A server is kept as long as its command or URL in the manifest is unchanged; other settings of the entry may change.
 * 2. A replaced or removed server ends when its calls have ended, at the latest after a limit.
 * 3. Nothing waits for a server to connect, and an invalid entry does not affect the others.
 */
import { isDeepStrictEqual } from 'node:util';
import { type Manifest, type McpServerEntry, mcpServerOptions } from '@holdfast/manifest';
import type { JsonObject } from '@holdfast/mcp-wire/client';
import { type McpServer, mcpServer, type McpServerOptions } from '@holdfast/runners';
import { type ConnectionKeeper, keepConnected } from './keep-connected.ts';
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

/** The capabilities that clients may have; those of a specific client are checked when a server asks. */
const clientCapabilities: JsonObject = {
  roots: { listChanged: true },
  sampling: { context: {}, tools: {} },
  elicitation: { form: {}, url: {} },
};

interface Held {
  upstream: Upstream;
  readonly options: McpServerOptions;
  readonly keeper: ConnectionKeeper;
  readonly unsubscribe: () => void;
}

export function createUpstreams(manifest: Manifest, options: UpstreamsOptions = {}): Upstreams {
  const { answer, onFault = () => {}, retireMs = 300_000, makeServer = mcpServer } = options;
  const listeners = new Set<UpstreamListener>();
  const statusListeners = new Set<StatusListener>();
  const retiring = new Map<McpServer, Promise<void>>();
  let held = new Map<string, Held>();
  let exposed: readonly Upstream[] = [];
  let keepsConnected = false;
  let closing: Promise<void> | undefined;

  const create = (name: string, entry: McpServerEntry, reach: McpServerOptions): Held => {
    const server = makeServer({
      ...reach,
      clientCapabilities,
      listen: true,
      ...(answer === undefined ? {} : { answer: (method, params) => answer(name, method, params) }),
    });
    const keeper = keepConnected(server, (error) => onFault({ upstream: name, operation: 'connect', error }));
    const unsubscribe = server.subscribe((event) => {
      if (event.type === 'notification') for (const listener of listeners) listener(made.upstream, event.method, event.params);
      else {
        if (keepsConnected) keeper.check();
        for (const listener of statusListeners) listener(made.upstream);
      }
    });
    const made: Held = { upstream: upstreamOf(name, entry, server), options: reach, keeper, unsubscribe };
    return made;
  };

  const retire = ({ upstream: { name, server }, keeper, unsubscribe }: Held): void => {
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
        const made = createOrReport(
          () => create(name, entry, reach),
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
    for (const gone of old.values()) retire(gone);
    if (keepsConnected) for (const { keeper } of held.values()) keeper.check();
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
      keepsConnected = true;
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

function addListener<Listener>(listeners: Set<Listener>, listener: Listener): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

function createOrReport<Value>(make: () => Value, onError: (error: unknown) => void): Value | undefined {
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
