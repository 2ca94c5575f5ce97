/**
 * Owns log messages on a server's connection during requests of modern clients, which get log messages only on their requests.
 *
 * Invariant: no cost for requests without logs.
 */
import type { ClientRequest, JsonObject } from '@holdfast/mcp-wire/server';

export interface RequestLogs {
  /** Runs a request to the server; log messages of the server are sent on the request if it wants them. */
  readonly during: (server: string | undefined, request: ClientRequest, run: () => Promise<JsonObject>) => Promise<JsonObject>;
  readonly receive: (server: string, params: JsonObject) => void;
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
  return {
    during: (server, request, run) =>
      server === undefined || request.logLevel === undefined || request.client.era === 'legacy' ? run() : withRequest(server, request, run),
    receive(server, params) {
      for (const request of running.get(server) ?? []) request.notify('notifications/message', params);
    },
  };
}
