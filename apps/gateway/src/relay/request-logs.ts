/**
 * Owns log messages on a server's connection during requests of modern clients, which get log messages only on their requests.
 *
 * Invariant: no cost for requests without logs.
 */
import type { ClientRequest, ConnectedClient, JsonObject } from '@holdfast/mcp-wire/server';
import { accessOf } from '../access/access.ts';

export interface RequestLogs {
  /** Runs a request to the server; log messages of the server are sent on the request if it wants them. */
  readonly during: (server: string | undefined, request: ClientRequest, run: () => Promise<JsonObject>) => Promise<JsonObject>;
  /** `isFor`: only on requests of these clients. */
  readonly receive: (server: string, params: JsonObject, isFor?: (client: ConnectedClient) => boolean) => void;
  /** The owner of all requests that run at the server now; `undefined` if there are none, or of several. */
  readonly soleOwner: (server: string) => string | undefined;
}

export function createRequestLogs(): RequestLogs {
  const running = new Map<string, Set<ClientRequest>>();
  const withRequest = async (server: string, request: ClientRequest, run: () => Promise<JsonObject>): Promise<JsonObject> => {
    const requests = running.get(server) ?? new Set();
    running.set(server, requests);
    requests.add(request);
    try {
      return await run();
    } finally {
      requests.delete(request);
      if (requests.size === 0) running.delete(server);
    }
  };
  /** Requests of clients that are kept apart are counted in both eras. */
  const isCounted = ({ client, logLevel }: ClientRequest): boolean =>
    (logLevel !== undefined && client.era === 'modern') || accessOf(client).owner !== undefined;
  return {
    during: (server, request, run) => (server === undefined || !isCounted(request) ? run() : withRequest(server, request, run)),
    receive(server, params, isFor = () => true) {
      for (const request of running.get(server) ?? [])
        if (request.client.era === 'modern' && isFor(request.client)) request.notify('notifications/message', params);
    },
    soleOwner(server) {
      const owners = new Set([...(running.get(server) ?? [])].map(({ client }) => accessOf(client).owner));
      return owners.size === 1 ? [...owners][0] : undefined;
    },
  };
}
