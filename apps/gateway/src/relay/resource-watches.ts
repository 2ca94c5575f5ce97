/**
 * Owns watching resources: one watch at a server, for any number of clients.
 *
 * Invariants
 * 1. A resource is watched at one server, from the first client to the last.
 * 2. Watches of a replaced server are opened at the new one.
 * 3. A disconnected client has no watches.
 */
import { type FaceClient, rpcCodes, rpcError } from '@holdfast/mcp-wire/server';
import type { OnUpstreamFault, Upstream, Upstreams } from '../upstreams/upstream.ts';

export interface ResourceWatches {
  /** Rejects with the error of the last server that was tried. */
  readonly watch: (uri: string, client: FaceClient) => Promise<() => void>;
  readonly clientGone: (client: FaceClient) => void;
  /** To be called when the set of servers has changed, or one has connected. */
  readonly follow: () => void;
  readonly close: () => void;
}

export interface WatchesOptions {
  readonly upstreams: Pick<Upstreams, 'get'>;
  /** Returns the servers to try for a URI, in order. */
  readonly ownersOf: (uri: string) => Promise<readonly Upstream[]>;
  /** Opens a watch at one server, within the limits of a request. */
  readonly open: (upstream: Upstream, uri: string) => Promise<() => void>;
  readonly onFault: OnUpstreamFault;
}

interface Watch {
  users: number;
  opening: Promise<Opened>;
}

interface Opened {
  readonly upstream: Upstream;
  readonly stop: () => void;
}

export function createResourceWatches({ upstreams, ownersOf, open, onFault }: WatchesOptions): ResourceWatches {
  const watches = new Map<string, Watch>();
  const stopsOf = new WeakMap<FaceClient, Set<() => void>>();
  const gone = new WeakSet<FaceClient>();

  const openSomewhere = async (uri: string): Promise<Opened> => {
    let refusal: unknown = rpcError(rpcCodes.resourceNotFound, `Resource not found: ${uri}`, { uri });
    for (const upstream of await ownersOf(uri)) {
      try {
        return { upstream, stop: await open(upstream, uri) };
      } catch (error) {
        refusal = error;
      }
    }
    throw refusal;
  };
  const leave = (uri: string, watch: Watch): void => {
    watch.users--;
    void watch.opening.then(
      ({ stop }) => {
        if (watch.users > 0 || watches.get(uri) !== watch) return;
        watches.delete(uri);
        stop();
      },
      () => {
        if (watch.users === 0 && watches.get(uri) === watch) watches.delete(uri);
      },
    );
  };
  /** After a failure, the watch is opened when the next server connects: its clients have a watch already. */
  const reopen = async (uri: string, watch: Watch): Promise<void> => {
    const before = watch.opening;
    const old = await before.catch(() => undefined);
    if (watches.get(uri) !== watch || watch.opening !== before) return;
    if (old !== undefined && upstreams.get(old.upstream.name)?.server === old.upstream.server) return;
    old?.stop();
    watch.opening = openSomewhere(uri);
    watch.opening.catch((error: unknown) => onFault({ upstream: old?.upstream.name ?? '', operation: `watch ${uri}`, error }));
  };

  return {
    async watch(uri, client) {
      const watch = watches.get(uri) ?? { users: 0, opening: openSomewhere(uri) };
      watches.set(uri, watch);
      watch.users++;
      try {
        await watch.opening;
      } catch (error) {
        if (watches.get(uri) === watch) watches.delete(uri);
        throw error;
      }
      const stops = stopsOf.get(client) ?? new Set();
      stopsOf.set(client, stops);
      const stop = (): void => {
        if (stops.delete(stop)) leave(uri, watch);
      };
      stops.add(stop);
      if (gone.has(client)) stop();
      return stop;
    },
    clientGone(client) {
      gone.add(client);
      for (const stop of stopsOf.get(client) ?? []) stop();
    },
    follow() {
      for (const [uri, watch] of watches) void reopen(uri, watch);
    },
    close() {
      for (const { opening } of watches.values()) void opening.then(({ stop }) => stop()).catch(() => {});
      watches.clear();
    },
  };
}
