/**
 * Owns requests of servers outside of any call, such as for roots: which client is asked, and notifying servers when roots may have changed.
 *
 * Invariants
 * 1. A client is asked only if it has declared the capability and is the only such client: no client answers for another.
 * 2. A connection that clients share asks none of them while they are kept apart: an answer of one would be used for another.
 * 3. A server that asked for roots before a client was connected is notified when there is one.
 */
import { type ConnectedClient, type JsonObject, rpcCodes, rpcError } from '@holdfast/mcp-wire/server';
import { canAnswer } from './client-capabilities.ts';
import { askClient } from './ask-client.ts';

export interface Clients {
  /** The client has completed the handshake. */
  readonly onConnected: (client: ConnectedClient) => void;
  /** The client has sent a request and can be asked from now on. */
  readonly onRequest: (client: ConnectedClient) => void;
  readonly onDisconnected: (client: ConnectedClient) => void;
  /** Rejects with an `RpcError`. */
  readonly answer: (upstream: string, method: string, params: JsonObject, key?: string) => Promise<JsonObject>;
}

export interface ClientsOptions {
  /** How long a client may take to answer. */
  readonly inputMs: () => number;
  /** Notifies a server that the roots have changed. */
  readonly notifyRootsChanged: (upstream: string) => void;
  /** Whether the connection of a server, by its key, may ask a client. */
  readonly mayAsk: (upstream: string, key: string | undefined, client: ConnectedClient) => boolean;
}

export function createClients({ inputMs, notifyRootsChanged, mayAsk }: ClientsOptions): Clients {
  const clients = new Map<string, ConnectedClient>();
  /** Ids of clients that have not sent a request since the handshake. */
  const fresh = new Set<string>();
  /** Servers that asked for roots when no client could answer. */
  const waiting = new Set<string>();

  const candidates = (method: string, params: JsonObject): readonly ConnectedClient[] =>
    [...clients.values()].filter((client) => !fresh.has(client.id) && canAnswer(client, method, params));
  return {
    onConnected(client) {
      if (client.ask === undefined) return;
      clients.set(client.id, client);
      fresh.add(client.id);
    },
    onRequest({ id }) {
      if (!fresh.delete(id) || candidates('roots/list', {}).length !== 1) return;
      for (const upstream of waiting) notifyRootsChanged(upstream);
      waiting.clear();
    },
    onDisconnected({ id }) {
      clients.delete(id);
      fresh.delete(id);
    },
    async answer(upstream, method, params, key) {
      const [client, ...others] = candidates(method, params).filter((each) => mayAsk(upstream, key, each));
      if (client === undefined) {
        if (method === 'roots/list') waiting.add(upstream);
        throw rpcError(rpcCodes.methodNotFound, `No client of this gateway can currently answer ${method}`);
      }
      if (others.length > 0)
        throw rpcError(
          rpcCodes.internalError,
          `${others.length + 1} clients of this gateway could answer ${method}: ask during a request of one of them`,
        );
      return askClient(client, method, params, inputMs());
    },
  };
}
