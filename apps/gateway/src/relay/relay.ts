/**
 * What the relay does for the face: everything but tools, over all exposed upstreams.
 */
import type { FaceClient, FaceRequest, JsonObject, LogLevel, ServerDescription } from '@holdfast/mcp-wire/server';

export interface Relay {
  describe(client: FaceClient): Promise<ServerDescription>;
  /** Answers resources, prompts, completion, and methods that are not known here. Rejects with an `RpcError`. */
  handle(request: FaceRequest): Promise<JsonObject>;
  watchResource(uri: string, client: FaceClient): Promise<() => void>;
  logLevelChanged(level: LogLevel | undefined): void;
  notified(method: string, params: JsonObject, client: FaceClient): void;
  clientGone(client: FaceClient): void;
  /** Answers what an upstream asks outside of any request: by the one client that can. Rejects with an `RpcError`. */
  answer(upstream: string, method: string, params: JsonObject): Promise<JsonObject>;
  close(): void;
}
