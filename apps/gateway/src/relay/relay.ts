/**
 * What the relay does for the face: everything but tools, over all exposed upstreams.
 */
import type { FaceClient, FaceRequest, JsonObject, LogLevel, ServerDescription } from '@holdfast/mcp-wire/server';

export interface Relay {
  readonly describe: (client: FaceClient) => Promise<ServerDescription>;
  /** The client has sent a request. */
  readonly seen: (client: FaceClient) => void;
  /** Runs a call of a tool of this server; what the server logs meanwhile comes on the request. */
  readonly duringCall: (server: string | undefined, request: FaceRequest, call: () => Promise<JsonObject>) => Promise<JsonObject>;
  /** Answers resources, prompts, completion, and methods that are not known here. Rejects with an `RpcError`. */
  readonly handle: (request: FaceRequest) => Promise<JsonObject>;
  readonly watchResource: (uri: string, client: FaceClient) => Promise<() => void>;
  readonly logLevelChanged: (level: LogLevel | undefined) => void;
  readonly notified: (method: string, params: JsonObject, client: FaceClient) => void;
  readonly clientGone: (client: FaceClient) => void;
  /** Answers what an upstream asks outside of any request: by the one client that can. Rejects with an `RpcError`. */
  readonly answer: (upstream: string, method: string, params: JsonObject) => Promise<JsonObject>;
  readonly close: () => void;
}
