/**
 * The interface of the relay: everything except tools, over all exposed upstreams.
 */
import type { ConnectedClient, ClientRequest, JsonObject, LogLevel, ServerDescription } from '@holdfast/mcp-wire/server';
import type { Tasks } from './tasks.ts';

export interface Relay {
  readonly describe: (client: ConnectedClient) => Promise<ServerDescription>;
  /** The client has sent a request. */
  readonly seen: (client: ConnectedClient) => void;
  /** Runs a call of a tool of this server; log messages of the server during the call are sent on the request. */
  readonly duringCall: (server: string | undefined, request: ClientRequest, call: () => Promise<JsonObject>) => Promise<JsonObject>;
  /** Answers resources, prompts, completion, and unknown methods. Rejects with an `RpcError`. */
  readonly handle: (request: ClientRequest) => Promise<JsonObject>;
  readonly watchResource: (uri: string, client: ConnectedClient) => Promise<() => void>;
  readonly logLevelChanged: (level: LogLevel | undefined) => void;
  readonly notified: (method: string, params: JsonObject, client: ConnectedClient) => void;
  readonly clientGone: (client: ConnectedClient) => void;
  /** Answers a request of an upstream outside of any call, by the only client that can. Rejects with an `RpcError`. */
  readonly answer: (upstream: string, method: string, params: JsonObject, key?: string) => Promise<JsonObject>;
  /** The session of a client was continued here, without a handshake. */
  readonly clientResumed: (client: ConnectedClient) => void;
  /** Whose the tasks of servers are. */
  readonly tasks: Pick<Tasks, 'note' | 'ofCall'>;
  readonly close: () => void;
}
