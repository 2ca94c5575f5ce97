/**
 * Owns relaying notifications of clients to servers.
 *
 * Invariants
 * 1. A notification that cannot be sent is reported as a fault, and nothing else.
 * 2. A client that is kept apart from others notifies only connections of its own: what it says could be about a request of another.
 */
import type { ConnectedClient, JsonObject } from '@holdfast/mcp-wire/server';
import { accessOf } from '../access/access.ts';
import { onBehalfOf } from '../access/on-behalf.ts';
import type { Upstream } from '../upstreams/upstream.ts';
import type { ServerInfo } from './server-info.ts';
import type { RelayOptions } from './options.ts';

export interface ServerNotifier {
  readonly rootsChanged: (upstream: string) => void;
  /** Relays a notification of a client: changed roots to every server, anything else only if there is a single server. */
  readonly forward: (method: string, params: JsonObject, client: ConnectedClient) => void;
}

const rootsMethod = 'notifications/roots/list_changed';

export function createServerNotifier({ upstreams, onFault = () => {} }: RelayOptions, serverInfo: ServerInfo): ServerNotifier {
  const notifyServer = ({ name, server }: Pick<Upstream, 'name' | 'server'>, method: string, params: JsonObject): void => {
    server.notify(method, params).catch((error: unknown) => onFault({ upstream: name, operation: method, error }));
  };
  /** The modern era has no such notification. */
  const rootsChanged = (upstream: Upstream | undefined): void => {
    if (upstream !== undefined && serverInfo.known(upstream)?.era === 'legacy') notifyServer(upstream, rootsMethod, {});
  };
  return {
    rootsChanged: (name) => rootsChanged(upstreams.get(name)),
    forward(method, params, client) {
      const all = upstreams.exposed();
      for (const upstream of all) {
        const isKept = accessOf(client).owner !== undefined && upstream.connectionOf === undefined;
        const server = upstream.connectionOf === undefined ? upstream.server : upstream.connectionOf(onBehalfOf(client));
        if (server === undefined || isKept) continue;
        if (method !== rootsMethod) {
          if (all.length === 1) notifyServer({ name: upstream.name, server }, method, params);
        } else if (serverInfo.known(upstream)?.era === 'legacy') notifyServer({ name: upstream.name, server }, rootsMethod, {});
      }
    },
  };
}
