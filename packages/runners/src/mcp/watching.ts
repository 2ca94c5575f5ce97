/**
 * Owns what a server is asked to tell of on its own: changes of its lists, and of the resources that somebody watches.
 *
 * Invariants
 * 1. A resource is watched at the server once, however many watch it here, and again over every new connection.
 * 2. Modern: one stream carries everything. A stream with a new filter is open before the old one is closed, and one that ends is opened again.
 */
import type { JsonObject } from '@holdfast/mcp-wire/client';
import { isRecord } from '../options/fields.ts';
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
  readonly onNotification: (method: string, params: JsonObject) => void;
}

const lists = { tools: 'toolsListChanged', prompts: 'promptsListChanged', resources: 'resourcesListChanged' } as const;

export function watching({ listen, onNotification }: WatchingOptions): Watching {
  const watchers = new Map<string, number>();
  let current: Connection | undefined;
  let stream: ListenStream | undefined;

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

  /** Resolves when the server has taken the filter; rejects where it does not. */
  const refilter = async (connection: Connection): Promise<void> => {
    const filter = filterFor(connection);
    const former = stream;
    stream = filter === undefined ? undefined : listenStream(connection.peer, filter, onNotification);
    try {
      await stream?.taken;
    } finally {
      former?.close();
    }
  };

  /** Over the connection that there is; one to come is told in `connected`. */
  const change = async (connection: Connection, method: 'resources/subscribe' | 'resources/unsubscribe', uri: string): Promise<void> => {
    if (isModern(connection)) await refilter(connection);
    else await connection.peer.request(method, { uri });
  };

  const forget = (uri: string): void => {
    const left = (watchers.get(uri) ?? 1) - 1;
    if (left > 0) return void watchers.set(uri, left);
    watchers.delete(uri);
    if (current !== undefined) change(current, 'resources/unsubscribe', uri).catch(() => {});
  };

  return {
    connected(connection) {
      stream?.close();
      stream = undefined;
      current = connection;
      void connection.peer.ended.then(() => {
        if (current === connection) current = undefined;
      });
      // A server that does not take them any more has nothing to tell.
      if (isModern(connection)) refilter(connection).catch(() => {});
      else for (const uri of watchers.keys()) change(connection, 'resources/subscribe', uri).catch(() => {});
    },
    async watchResource(uri, connect) {
      const connection = await connect();
      const before = watchers.get(uri) ?? 0;
      watchers.set(uri, before + 1);
      try {
        if (before === 0) await change(connection, 'resources/subscribe', uri);
      } catch (error) {
        forget(uri);
        throw error;
      }
      let isWatched = true;
      return () => {
        if (isWatched) forget(uri);
        isWatched = false;
      };
    },
    close() {
      stream?.close();
      stream = undefined;
    },
  };
}
