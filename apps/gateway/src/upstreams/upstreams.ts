/**
 * Owns the servers behind the gateway: one for each entry of the manifest, and its replacement at a reload. Does not own the behaviour of a single one (`held-server.ts`).
 *
 * Invariants
 * 1. A server stays connected while its entry has the same address; how the gateway offers it may change.
 * 2. A replaced or removed server is closed when its calls have ended, or after a time limit.
 * 3. A server that announces changes of its lists without pause is asked for them at growing intervals.
 * 4. Nothing waits for a server to start, and an invalid entry does not affect the other servers.
 */
import { isDeepStrictEqual } from 'node:util';
import { type Manifest, type McpServerEntry, mcpServerOptions } from '@holdfast/manifest';
import { type McpServer, mcpServer, type McpServerOptions } from '@holdfast/runners';
import { type AnswerServer, HeldServer, type ServerSurroundings } from './held-server.ts';
import { ListChanges } from './list-changes.ts';
import type { OnUpstreamFault, StatusListener, Upstream, UpstreamListener, Upstreams } from './upstream.ts';

export interface UpstreamsOptions {
  /** Answers requests of a server outside of any call. @default they are not answered */
  readonly answer?: AnswerServer;
  /** Adds the credentials of a server with `auth`. @default none */
  readonly authorizerOf?: ServerSurroundings['authorizerOf'];
  /** Why someone has to log in to a server. @default never */
  readonly loginRequired?: (upstream: string) => string | undefined;
  readonly onFault?: OnUpstreamFault;
  /** How long a replaced server may continue with its calls. @default 300000 */
  readonly retireMs?: number;
  /** @default `mcpServer` */
  readonly makeServer?: (options: McpServerOptions) => McpServer;
}

export function createUpstreams(manifest: Manifest, options: UpstreamsOptions = {}): Upstreams {
  const { answer, authorizerOf, loginRequired = () => undefined, onFault = () => {}, retireMs = 300_000, makeServer = mcpServer } = options;
  const listeners = new Set<UpstreamListener>();
  const statusListeners = new Set<StatusListener>();
  const retiring = new Map<McpServer, Promise<void>>();
  const listChanges = new ListChanges();
  let held: ReadonlyMap<string, HeldServer> = new Map();
  let exposed: readonly Upstream[] = [];
  let isConnecting = false;
  let closing: Promise<void> | undefined;

  const surroundings: ServerSurroundings = {
    makeServer,
    answer,
    authorizerOf,
    onFault,
    onNotification: (...notification) => passOn(notification, listeners, listChanges),
    onStatus(upstream) {
      for (const listener of statusListeners) listener(upstream);
    },
  };

  const retire = (retired: HeldServer): void => {
    const { server } = retired.upstream;
    const ended = retired.retire(retireMs).finally(() => retiring.delete(server));
    retiring.set(server, ended);
  };

  const apply = (next: Manifest): void => {
    if (closing !== undefined) return;
    const old = held;
    held = serversOf(next, old, surroundings);
    exposed = [...held.values()].flatMap(({ upstream }) => (upstream.isExposed ? [upstream] : []));
    for (const [name, before] of old) if (held.get(name) !== before) retire(before);
    if (isConnecting) for (const server of held.values()) server.keepConnected();
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
      isConnecting = true;
      for (const server of held.values()) server.keepConnected();
    },
    sessionEnded(who) {
      for (const server of held.values()) server.sessionEnded(who);
    },
    status: () => [...held.values()].map(({ upstream }) => statusOf(upstream, loginRequired(upstream.name))),
    close(graceMs) {
      listChanges.close();
      return (closing ??= closeAll(held.values(), retiring, graceMs));
    },
  };
}

/** Servers whose address or command is unchanged are kept. */
function serversOf(
  { mcpServers, folder }: Manifest,
  old: ReadonlyMap<string, HeldServer>,
  surroundings: ServerSurroundings,
): ReadonlyMap<string, HeldServer> {
  const held = new Map<string, HeldServer>();
  for (const [name, entry] of Object.entries(mcpServers)) {
    const options = mcpServerOptions(name, entry, folder);
    const before = old.get(name);
    if (before !== undefined && isDeepStrictEqual([before.options, authOf(before.upstream.entry)], [options, authOf(entry)])) {
      held.set(name, before);
      if (!isDeepStrictEqual(before.upstream.entry, entry)) before.applyEntry(entry);
      continue;
    }
    try {
      held.set(name, new HeldServer(name, entry, options, surroundings));
    } catch (error) {
      surroundings.onFault({ upstream: name, operation: 'start', error });
    }
  }
  return held;
}

function passOn(notification: Parameters<UpstreamListener>, listeners: ReadonlySet<UpstreamListener>, listChanges: ListChanges): void {
  const [{ name }, method, , key] = notification;
  const pass = (): void => {
    for (const listener of listeners) listener(...notification);
  };
  if (method.endsWith('/list_changed')) listChanges.receive([name, key, method].join(' '), pass);
  else pass();
}

const statusOf = ({ name, isExposed, server }: Upstream, loginRequired: string | undefined): ReturnType<Upstreams['status']>[number] => ({
  name,
  isExposed,
  ...server.status(),
  ...(loginRequired === undefined ? {} : { loginRequired }),
});

const authOf = (entry: McpServerEntry): unknown => ('url' in entry ? entry.auth : undefined);

function addListener<Listener>(listeners: Set<Listener>, listener: Listener): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

async function closeAll(
  held: Iterable<HeldServer>,
  retiring: ReadonlyMap<McpServer, Promise<void>>,
  graceMs: number | undefined,
): Promise<void> {
  const endings = [...held].map((server) => server.close(graceMs));
  for (const [server, ended] of retiring) endings.push(server.close(graceMs), ended);
  await Promise.allSettled(endings);
}
