/**
 * Owns the interface of a server: a `ServerHandler` answers the requests, a `ServerTransport` serves the protocol over stdio or HTTP, in both eras.
 *
 * Invariants
 * 1. A handler is independent of eras. The transport handles their differences (handshake, sessions, log levels, subscriptions, headers).
 * 2. A request is answered once; an error that a handler throws is sent without a stack.
 */
import type { Era, LogLevel } from '../era.ts';
import type { JsonObject, RequestId } from '../message.ts';

/** A client of a server. One object for a legacy session or a stdio connection, one per request in the modern era. */
export interface ConnectedClient {
  /** Id of the session or connection; for modern HTTP requests, the same for the same principal. */
  readonly id: string;
  /** Era of the negotiated revision. */
  readonly era: Era;
  /** Negotiated revision, such as `2025-11-25`. */
  readonly protocolVersion: string;
  /** Name and version of the client, as `Implementation` of the MCP schema; `undefined` if it sent none. */
  readonly info: JsonObject | undefined;
  /** Capabilities of the client; `{}` if it sent none. */
  readonly capabilities: JsonObject;
  /** The authenticated principal, such as the name of a token; never the token itself. */
  readonly principal: string | undefined;
  /** What the embedding server knows about the sender of the latest request, such as its permissions; see `HttpCaller`. */
  readonly access?: unknown;
  /** How the client is connected. */
  readonly transport: 'stdio' | 'http';
  /**
   * Sends a request to the client outside of any of its requests, such as `roots/list`. Absent in the modern era. Rejects with the client's `RpcError`, when the client disconnects, or with
   * `methodNotFound` if there is no open stream to the client.
   */
  ask?(method: string, params: JsonObject, signal?: AbortSignal): Promise<JsonObject>;
}

/** A request of a client, in a form that does not depend on era and transport. */
export interface ClientRequest {
  /** Id of the request, as the client chose it. */
  readonly id: RequestId;
  /** MCP method, such as `tools/call`. */
  readonly method: string;
  /** Params as sent by the client, including `_meta`. */
  readonly params: JsonObject;
  /** The client that sent the request. */
  readonly client: ConnectedClient;
  /**
   * Aborted when the client cancels the request or disconnects. A legacy client over HTTP disconnects when its session ends, not when a connection
   * breaks.
   */
  readonly signal: AbortSignal;
  /** Minimum severity of log messages for this client; `undefined` for none. */
  readonly logLevel: LogLevel | undefined;
  /** Whether the client has requested progress. */
  readonly wantsProgress: boolean;
  /** Sends `notifications/progress` with the client's token; does nothing if the client has not requested progress, or after the answer. */
  reportProgress(progress: JsonObject): void;
  /** Sends a notification on this request's own stream. `notifications/message` is sent only if it has the minimum severity. */
  notify(method: string, params: JsonObject): void;
  /**
   * Sends a request to the client during its own request: `sampling/createMessage`, `elicitation/create`, `roots/list`. Legacy era only.
   * Rejects with the client's `RpcError`, when the client disconnects, or with `methodNotFound` in the modern era.
   */
  ask(method: string, params: JsonObject, signal?: AbortSignal): Promise<JsonObject>;
}

/** What a server answers to the handshake. */
export interface ServerDescription {
  /** Name and version of the server, as `Implementation` of the MCP schema. */
  readonly serverInfo: JsonObject;
  /** Capabilities as in 2025-11-25; the transport converts them for the era of the client. */
  readonly capabilities: JsonObject;
  /** How to use the server, as text for a model. */
  readonly instructions?: string;
}

/** Answers the requests of all transports, in a form that does not depend on era and transport. */
export interface ServerHandler {
  /** Called at each handshake and each `server/discover`. */
  describe(client: ConnectedClient): ServerDescription | Promise<ServerDescription>;
  /**
   * Answers every method except those of the transport: `initialize`, `server/discover`, `ping`, `logging/setLevel`, `resources/subscribe`,
   * `resources/unsubscribe`, `subscriptions/listen`. Return a result with `resultType: 'input_required'` for modern clients only; for legacy ones, use
   * `ask`. Reject with an `RpcError`; any other error is sent as `internalError` without details.
   */
  handle(request: ClientRequest): Promise<JsonObject>;
  /** Called with notifications of the client, such as `notifications/roots/list_changed`, except for cancellations and the handshake. */
  notified?(method: string, params: JsonObject, client: ConnectedClient): void;
  /** Starts to watch a resource; returns a function that stops. Rejects with an `RpcError`. Absent: subscriptions are not supported. */
  watchResource?(uri: string, client: ConnectedClient): Promise<() => void>;
  /**
   * Returns the input schema of an offered tool, for the headers that its `x-mcp-header` requires from modern HTTP clients. Called for every call, so it must be fast.
   * Absent: such headers are not compared with the arguments.
   */
  inputSchema?(tool: string, client: ConnectedClient): JsonObject | undefined;
  /** The session of a client was continued that another process, or an earlier one, has opened. There is no handshake. */
  clientResumed?(client: ConnectedClient): void;
  /** The minimum level that any client wants has changed. */
  logLevelChanged?(level: LogLevel | undefined): void;
  /** A legacy session or a connection has ended. */
  clientGone?(client: ConnectedClient): void;
}

/** What a transport serves at the moment. */
export interface TransportStatus {
  /** Legacy sessions; over stdio 1 once the client has completed the handshake. */
  readonly sessions: number;
  /** Open `subscriptions/listen` requests. */
  readonly subscriptions: number;
  /** Requests without an answer yet. */
  readonly requestsInFlight: number;
}

/** Serves a handler to clients over stdio or HTTP. */
export interface ServerTransport {
  /**
   * Sends a notification to the clients that it concerns: changed lists (legacy sessions, and subscribed listeners), `notifications/resources/updated` (clients that watch its
   * `uri`), `notifications/message` (legacy sessions, by their level), and with `isFor` also `notifications/elicitation/complete`. `isFor`: only to these clients.
   */
  publish(method: string, params: JsonObject, isFor?: (client: ConnectedClient) => boolean): void;
  /** Returns what the transport serves at the moment. */
  status(): TransportStatus;
  /** Accepts no new requests; waits for running ones within the limit and answers the rest with an error; then closes sessions and streams. */
  close(limitMs: number): Promise<void>;
}
