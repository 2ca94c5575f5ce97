/**
 * Owns the subscriptions at a server: changes of its lists, and of watched resources.
 *
 * Invariants
 * 1. A resource has one subscription at the server for all its watchers, renewed over every new connection.
 * 2. Modern: one stream for everything. A stream with a new filter is opened before the old one is closed, and a stream that ends is reopened.
 */
import type { JsonObject } from '@holdfast/mcp-wire/client';
import { isRecord } from '@holdfast/core/internal/plain';
import type { Connection } from './connection.ts';
import { type ListenStream, listenStream } from './listen-stream.ts';

export interface WatchingOptions {
  /** Modern: subscribe to changes of the lists. */
  readonly listen: boolean;
  /** Time limit for the server's answer. */
  readonly limitMs: number;
  readonly onNotification: (method: string, params: JsonObject) => void;
}

const lists = { tools: 'toolsListChanged', prompts: 'promptsListChanged', resources: 'resourcesListChanged' } as const;

export class ResourceWatching {
  readonly #options: WatchingOptions;
  readonly #watchers = new Map<string, number>();
  #current: Connection | undefined;
  #stream: ListenStream | undefined;
  #changes: Promise<void> = Promise.resolve();

  constructor(options: WatchingOptions) {
    this.#options = options;
  }

  /** Call it with a new connection. */
  onConnected(connection: Connection): void {
    this.close();
    this.#current = connection;
    void connection.peer.ended.then(() => {
      if (this.#current === connection) this.#current = undefined;
    });
    void this.#enqueue(() => this.#renew(connection));
  }

  /** Resolves to a function that unsubscribes. */
  async watchResource(uri: string, connect: () => Promise<Connection>): Promise<() => void> {
    const connection = await connect();
    await this.#enqueue(() => this.#watch(uri, connection));
    let isWatched = true;
    return () => {
      if (isWatched) void this.#enqueue(() => this.#forget(uri));
      isWatched = false;
    };
  }

  close(): void {
    this.#stream?.close();
    this.#stream = undefined;
  }

  /** Serializes the changes, so that a refused one affects no other and the last one wins. */
  #enqueue(work: () => Promise<void>): Promise<void> {
    const done = this.#changes.then(work);
    this.#changes = done.catch(() => {});
    return done;
  }

  async #watch(uri: string, connection: Connection): Promise<void> {
    const before = this.#watchers.get(uri) ?? 0;
    this.#watchers.set(uri, before + 1);
    if (before > 0) return;
    try {
      await this.#change(connection, 'resources/subscribe', uri);
    } catch (error) {
      this.#watchers.delete(uri);
      throw error;
    }
  }

  /** A server that is gone, or refuses, sends no more notifications. */
  async #forget(uri: string): Promise<void> {
    const left = (this.#watchers.get(uri) ?? 1) - 1;
    if (left > 0) return void this.#watchers.set(uri, left);
    this.#watchers.delete(uri);
    if (this.#current !== undefined) await this.#change(this.#current, 'resources/unsubscribe', uri).catch(() => {});
  }

  async #renew(connection: Connection): Promise<void> {
    if (isModern(connection)) return this.#openStream(connection).catch(() => {});
    for (const uri of this.#watchers.keys()) await this.#ask(connection, 'resources/subscribe', uri).catch(() => {});
  }

  async #change(connection: Connection, method: 'resources/subscribe' | 'resources/unsubscribe', uri: string): Promise<void> {
    if (isModern(connection)) await this.#openStream(connection);
    else await this.#ask(connection, method, uri);
  }

  async #ask({ peer }: Connection, method: string, uri: string): Promise<unknown> {
    return peer.request(method, { uri }, { signal: AbortSignal.timeout(this.#options.limitMs) });
  }

  /** Resolves when the server has accepted the filter. Rejects if it does not; then the stream is unchanged. */
  async #openStream(connection: Connection): Promise<void> {
    const filter = this.#filterFor(connection);
    const next = filter === undefined ? undefined : listenStream(connection.peer, filter, this.#options.onNotification);
    try {
      await next?.accepted;
    } catch (error) {
      next?.close();
      throw error;
    }
    this.#stream?.close();
    this.#stream = next;
  }

  #filterFor({ peer }: Connection): JsonObject | undefined {
    const filter: Record<string, unknown> = {};
    const { capabilities } = peer.handshake;
    for (const [list, name] of Object.entries(lists)) {
      const capability = capabilities[list];
      if (this.#options.listen && isRecord(capability) && capability['listChanged'] === true) filter[name] = true;
    }
    if (this.#watchers.size > 0) filter['resourceSubscriptions'] = [...this.#watchers.keys()];
    return Object.keys(filter).length === 0 ? undefined : filter;
  }
}

function isModern({ peer }: Connection): boolean {
  return peer.handshake.era === 'modern';
}
