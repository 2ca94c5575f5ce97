/**
 * Owns the watching of resources: one watch at a server, however many clients want it.
 *
 * Invariants
 * 1. A resource is watched at one server, from the first client that wants it to the last.
 * 2. A replaced server's watches are taken over by the new one.
 * 3. A client that disconnects stops watching.
 */
import { type ConnectedClient, rpcCodes, rpcError } from '@holdfast/mcp-wire/server';
import { neededLogin } from '../server-auth/auth-error.ts';
import type { OpenWatch } from './open-watch.ts';
import type { OnUpstreamFault, Upstream, Upstreams } from '../upstreams/upstream.ts';

export interface WatchesOptions {
  readonly upstreams: Pick<Upstreams, 'get'>;
  /** The servers to ask for a URI, in order. */
  readonly ownersOf: (uri: string) => Promise<readonly Upstream[]>;
  /** Watches at one server, within the limits of a request. */
  readonly open: OpenWatch;
  /** Whether watches of this client are its own, since a server may be isolated. @default never */
  readonly keyOf?: (client: ConnectedClient) => string;
  readonly onFault: OnUpstreamFault;
}

interface Watch {
  readonly uri: string;
  /** For whom it is opened. */
  readonly client: ConnectedClient;
  users: number;
  opening: Promise<Opened>;
}

interface Opened {
  readonly upstream: Upstream;
  readonly stop: () => void;
}

export class ResourceWatches {
  readonly #options: WatchesOptions;
  readonly #watches = new Map<string, Watch>();
  readonly #stopsOf = new WeakMap<ConnectedClient, Set<() => void>>();
  readonly #gone = new WeakSet<ConnectedClient>();

  constructor(options: WatchesOptions) {
    this.#options = options;
  }

  /** Rejects with the error of the last server that was asked, or with that of a login that is missing. */
  async watch(uri: string, client: ConnectedClient): Promise<() => void> {
    const key = `${this.#options.keyOf?.(client) ?? ''}${uri}`;
    const watch = this.#watches.get(key) ?? { uri, client, users: 0, opening: this.#openSomewhere(uri, client) };
    this.#watches.set(key, watch);
    watch.users++;
    try {
      await watch.opening;
    } catch (error) {
      if (this.#watches.get(key) === watch) this.#watches.delete(key);
      throw error;
    }
    const stops = this.#stopsOf.get(client) ?? new Set();
    this.#stopsOf.set(client, stops);
    const stop = (): void => {
      if (stops.delete(stop)) this.#leave(key, watch);
    };
    stops.add(stop);
    if (this.#gone.has(client)) stop();
    return stop;
  }

  clientGone(client: ConnectedClient): void {
    this.#gone.add(client);
    for (const stop of this.#stopsOf.get(client) ?? []) stop();
  }

  /** Call it when the set of servers has changed, or one has connected. */
  follow(): void {
    for (const [key, watch] of this.#watches) void this.#reopen(key, watch);
  }

  close(): void {
    for (const { opening } of this.#watches.values()) void opening.then(({ stop }) => stop()).catch(() => {});
    this.#watches.clear();
  }

  async #openSomewhere(uri: string, client: ConnectedClient): Promise<Opened> {
    const { ownersOf, open } = this.#options;
    let refusal: unknown = rpcError(rpcCodes.resourceNotFound, `Resource not found: ${uri}`, { uri });
    for (const upstream of await ownersOf(uri)) {
      try {
        return { upstream, stop: await open(upstream, uri, client) };
      } catch (error) {
        if (neededLogin(refusal) === undefined) refusal = error;
      }
    }
    throw refusal;
  }

  #leave(key: string, watch: Watch): void {
    watch.users--;
    void watch.opening.then(
      ({ stop }) => {
        if (watch.users > 0 || this.#watches.get(key) !== watch) return;
        this.#watches.delete(key);
        stop();
      },
      () => {
        if (watch.users === 0 && this.#watches.get(key) === watch) this.#watches.delete(key);
      },
    );
  }

  /** After a failure it is opened when the next server connects, since its clients believe that they watch. */
  async #reopen(key: string, watch: Watch): Promise<void> {
    const { upstreams, onFault } = this.#options;
    const before = watch.opening;
    const old = await before.catch(() => undefined);
    if (this.#watches.get(key) !== watch || watch.opening !== before) return;
    if (old !== undefined && upstreams.get(old.upstream.name)?.server === old.upstream.server) return;
    old?.stop();
    const { uri } = watch;
    watch.opening = this.#openSomewhere(uri, watch.client);
    watch.opening.catch((error: unknown) => onFault({ upstream: old?.upstream.name ?? '', operation: `watch ${uri}`, error }));
  }
}
