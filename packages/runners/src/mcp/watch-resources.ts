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

export interface Watching {
  /** There is a new connection. */
  readonly connected: (connection: Connection) => void;
  readonly watchResource: (uri: string, connect: () => Promise<Connection>) => Promise<() => void>;
  readonly close: () => void;
}

export interface WatchingOptions {
  /** Modern: hear of changes of the lists. */
  readonly listen: boolean;
  /** How long a server may take to answer. */
  readonly limitMs: number;
  readonly onNotification: (method: string, params: JsonObject) => void;
}

const lists = { tools: 'toolsListChanged', prompts: 'promptsListChanged', resources: 'resourcesListChanged' } as const;

export function watchResources({ listen, limitMs, onNotification }: WatchingOptions): Watching {
  const watchers = new Map<string, number>();
  let current: Connection | undefined;
  let stream: ListenStream | undefined;
  let changes = Promise.resolve();

  const filterFor = ({ peer }: Connection): JsonObject | undefined => {
    const filter: Record<string, unknown> = {};
    const { capabilities } = peer.greeting;
    for (const [list, name] of Object.entries(lists)) {
      const capability = capabilities[list];
      if (listen && isRecord(capability) && capability['listChanged'] === true) filter[name] = true;
    }
    if (watchers.size > 0) filter['resourceSubscriptions'] = [...watchers.keys()];
    return Object.keys(filter).length === 0 ? undefined : filter;
  };
  const isModern = ({ peer }: Connection): boolean => peer.greeting.era === 'modern';

  /** One change after the other, so that a refused one takes nothing with it and the last one stays. */
  const inTurn = (work: () => Promise<void>): Promise<void> => {
    const done = changes.then(work);
    changes = done.catch(() => {});
    return done;
  };
  /** Resolves when the server has taken the filter; rejects where it does not, and the stream stays what it was. */
  const openStream = async (connection: Connection): Promise<void> => {
    const filter = filterFor(connection);
    const next = filter === undefined ? undefined : listenStream(connection.peer, filter, onNotification);
    try {
      await next?.taken;
    } catch (error) {
      next?.close();
      throw error;
    }
    stream?.close();
    stream = next;
  };
  const ask = async ({ peer }: Connection, method: string, uri: string): Promise<unknown> =>
    peer.request(method, { uri }, { signal: AbortSignal.timeout(limitMs) });
  const change = async (connection: Connection, method: 'resources/subscribe' | 'resources/unsubscribe', uri: string): Promise<void> => {
    if (isModern(connection)) await openStream(connection);
    else await ask(connection, method, uri);
  };

  const watch = async (uri: string, connection: Connection): Promise<void> => {
    const before = watchers.get(uri) ?? 0;
    watchers.set(uri, before + 1);
    if (before > 0) return;
    try {
      await change(connection, 'resources/subscribe', uri);
    } catch (error) {
      watchers.delete(uri);
      throw error;
    }
  };
  /** A server that is gone, or does not like it, has nothing to tell any more. */
  const forget = async (uri: string): Promise<void> => {
    const left = (watchers.get(uri) ?? 1) - 1;
    if (left > 0) return void watchers.set(uri, left);
    watchers.delete(uri);
    if (current !== undefined) await change(current, 'resources/unsubscribe', uri).catch(() => {});
  };
  const renew = async (connection: Connection): Promise<void> => {
    if (isModern(connection)) return openStream(connection).catch(() => {});
    for (const uri of watchers.keys()) await ask(connection, 'resources/subscribe', uri).catch(() => {});
  };

  return {
    connected(connection) {
      stream?.close();
      stream = undefined;
      current = connection;
      void connection.peer.ended.then(() => {
        if (current === connection) current = undefined;
      });
      void inTurn(() => renew(connection));
    },
    async watchResource(uri, connect) {
      const connection = await connect();
      await inTurn(() => watch(uri, connection));
      let isWatched = true;
      return () => {
        if (isWatched) void inTurn(() => forget(uri));
        isWatched = false;
      };
    },
    close() {
      stream?.close();
      stream = undefined;
    },
  };
}
