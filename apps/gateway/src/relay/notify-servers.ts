/**
 * Owns relaying notifications of clients to servers.
 *
 * Invariant: a notification that cannot be sent is reported as a fault, and nothing else.
 */
import type { JsonObject } from '@holdfast/mcp-wire/server';
import type { Upstream } from '../upstreams/upstream.ts';
import type { ServerInfo } from './server-info.ts';
import type { RelayOptions } from './options.ts';

export interface ServerNotifier {
  readonly rootsChanged: (upstream: string) => void;
  /** Relays a notification of a client: changed roots to every server, anything else only if there is a single server. */
  readonly forward: (method: string, params: JsonObject) => void;
}

const rootsMethod = 'notifications/roots/list_changed';

export function createServerNotifier({ upstreams, onFault = () => {} }: RelayOptions, serverInfo: ServerInfo): ServerNotifier {
  const notifyServer = ({ name, server }: Upstream, method: string, params: JsonObject): void => {
    server.notify(method, params).catch((error: unknown) => onFault({ upstream: name, operation: method, error }));
  };
  /** The modern era has no such notification. */
  const rootsChanged = (upstream: Upstream | undefined): void => {
    if (upstream !== undefined && serverInfo.known(upstream)?.era === 'legacy') notifyServer(upstream, rootsMethod, {});
  };
  return {
    rootsChanged: (name) => rootsChanged(upstreams.get(name)),
    forward(method, params) {
      const [first, ...others] = upstreams.exposed();
      if (method === rootsMethod) for (const upstream of upstreams.exposed()) rootsChanged(upstream);
      else if (first !== undefined && others.length === 0) notifyServer(first, method, params);
    },
  };
}
