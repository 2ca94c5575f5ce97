/**
 * Owns what servers ask outside of any request, such as for roots: which client can be asked, and that it is told when roots may have changed.
 *
 * Invariants
 * 1. Only a client that has said that it can answer is asked, and only where it is the only one: nobody answers for somebody else.
 * 2. A server that asked for roots before there was a client is told when there is one.
 */
import { type FaceClient, type JsonObject, rpcCodes, rpcError } from '@holdfast/mcp-wire/server';
import { canAnswer } from './client-capabilities.ts';
import { askClient } from './ask-client.ts';

export interface Clients {
  /** The client has greeted. */
  readonly greeted: (client: FaceClient) => void;
  /** The client has sent a request: it can be asked from now on. */
  readonly seen: (client: FaceClient) => void;
  readonly gone: (client: FaceClient) => void;
  /** Rejects with an `RpcError`. */
  readonly answer: (upstream: string, method: string, params: JsonObject) => Promise<JsonObject>;
}

export interface ClientsOptions {
  /** How long a client may take to answer. */
  readonly inputMs: () => number;
  /** Tells a server that there are other roots now. */
  readonly tellRoots: (upstream: string) => void;
}

export function createClients({ inputMs, tellRoots }: ClientsOptions): Clients {
  const clients = new Map<string, FaceClient>();
  /** Ids of clients that have greeted and not sent a request yet. */
  const fresh = new Set<string>();
  /** Servers that asked for roots in vain. */
  const waiting = new Set<string>();

  const able = (method: string, params: JsonObject): readonly FaceClient[] =>
    [...clients.values()].filter((client) => !fresh.has(client.id) && canAnswer(client, method, params));
  return {
    greeted(client) {
      if (client.ask === undefined) return;
      clients.set(client.id, client);
      fresh.add(client.id);
    },
    seen({ id }) {
      if (!fresh.delete(id) || able('roots/list', {}).length !== 1) return;
      for (const upstream of waiting) tellRoots(upstream);
      waiting.clear();
    },
    gone({ id }) {
      clients.delete(id);
      fresh.delete(id);
    },
    async answer(upstream, method, params) {
      const [client, ...others] = able(method, params);
      if (client === undefined) {
        if (method === 'roots/list') waiting.add(upstream);
        throw rpcError(rpcCodes.methodNotFound, `No client of this gateway can answer ${method} now`);
      }
      if (others.length > 0)
        throw rpcError(
          rpcCodes.internalError,
          `${others.length + 1} clients of this gateway could answer ${method}: ask while a request of one of them runs`,
        );
      return askClient(client, method, params, inputMs());
    },
  };
}
