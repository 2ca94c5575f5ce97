/**
 * Owns what a server is asked to tell of on its own: changes of its lists, and of the resources that somebody watches.
 *
 * Invariants
 * 1. A resource is watched at the server once, however many watch it here, and again over every new connection.
 * 2. Modern: one stream carries everything. A stream with a new filter is open before the old one is closed, and one that ends is opened again.
 */
import type { JsonObject } from '@holdfast/mcp-wire/client';
import { isRecord } from '@holdfast/core/internal/plain';
import type { Connection } from './connection.ts';
import { type ListenStream, listenStream } from './listen-stream.ts';

export interface WatchingOptions {
  /** Modern: hear of changes of the lists. */
  readonly listen: boolean;
  /** How long a server may take to answer. */
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

  /** There is a new connection. */
  connected(connection: Connection): void {
    this.close();
    this.#current = connection;
    void connection.peer.ended.then(() => {
      if (this.#current === connection) this.#current = undefined;
    });
    void this.#inTurn(() => this.#renew(connection));
  }

  /** Resolves with the way to stop. */
  async watchResource(uri: string, connect: () => Promise<Connection>): Promise<() => void> {
    const connection = await connect();
    await this.#inTurn(() => this.#watch(uri, connection));
    let isWatched = true;
    return () => {
      if (isWatched) void this.#inTurn(() => this.#forget(uri));
      isWatched = false;
    };
  }

  close(): void {
    this.#stream?.close();
    this.#stream = undefined;
  }

  /** One change after the other, so that a refused one takes nothing with it and the last one stays. */
  #inTurn(work: () => Promise<void>): Promise<void> {
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

  /** A server that is gone, or refuses, has nothing to report any more. */
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

  /** Resolves when the server has taken the filter; rejects where it does not, and the stream stays what it was. */
  async #openStream(connection: Connection): Promise<void> {
    const filter = this.#filterFor(connection);
    const next = filter === undefined ? undefined : listenStream(connection.peer, filter, this.#options.onNotification);
    try {
      await next?.taken;
    } catch (error) {
      next?.close();
      throw error;
    }
    this.#stream?.close();
    this.#stream = next;
  }

  #filterFor({ peer }: Connection): JsonObject | undefined {
    const filter: Record<string, unknown> = {};
    const { capabilities } = peer.greeting;
    for (const [list, name] of Object.entries(lists)) {
      const capability = capabilities[list];
      if (this.#options.listen && isRecord(capability) && capability['listChanged'] === true) filter[name] = true;
    }
    if (this.#watchers.size > 0) filter['resourceSubscriptions'] = [...this.#watchers.keys()];
    return Object.keys(filter).length === 0 ? undefined : filter;
  }
}

function isModern({ peer }: Connection): boolean {
  return peer.greeting.era === 'modern';
}
