/**
 * Owns log messages that come on a server's connection while requests of the modern era run: those clients hear logs on their requests alone.
 *
 * Invariant: costs nothing for requests that want no logs.
 */
import type { FaceRequest, JsonObject } from '@holdfast/mcp-wire/server';

export interface RequestLogs {
  /** Runs a request that goes to the server; what the server logs meanwhile comes on it, where it wants that. */
  readonly during: (server: string | undefined, request: FaceRequest, run: () => Promise<JsonObject>) => Promise<JsonObject>;
  readonly heard: (server: string, params: JsonObject) => void;
}

export function createRequestLogs(): RequestLogs {
  const running = new Map<string, Set<FaceRequest>>();
  const hearing = async (server: string, request: FaceRequest, run: () => Promise<JsonObject>): Promise<JsonObject> => {
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
      server === undefined || request.logLevel === undefined || request.client.era === 'legacy' ? run() : hearing(server, request, run),
    heard(server, params) {
      for (const request of running.get(server) ?? []) request.notify('notifications/message', params);
    },
  };
}
