/**
 * Owns what a server is behind its fronts: `ServerFace` answers, a `Front` speaks the protocol of one transport for it, in both eras.
 *
 * Invariants
 * 1. A face sees one form of everything. What an era writes differently (greeting, sessions, log levels, subscriptions, headers) is the front's business.
 * 2. A request is answered once; what a face throws becomes an error without stack.
 */
import type { Era, LogLevel } from '../era.ts';
import type { JsonObject, RequestId } from '../message.ts';

/** Who asks. One object for a legacy session or a stdio connection, one per request in the modern era. */
export interface FaceClient {
  /** Session or connection; of modern HTTP requests the same for the same principal. */
  readonly id: string;
  /** Era of the negotiated revision. */
  readonly era: Era;
  /** Negotiated revision, such as `2025-11-25`. */
  readonly protocolVersion: string;
  /** Name and version of the client, as `Implementation` of the MCP schema; `undefined` if it sent none. */
  readonly info: JsonObject | undefined;
  /** Capabilities of the client; `{}` if it sent none. */
  readonly capabilities: JsonObject;
  /** Who the transport says it is, such as the name of a token; never the token. */
  readonly principal: string | undefined;
  /** How the client is connected. */
  readonly transport: 'stdio' | 'http';
  /**
   * Asks outside of any request, such as for `roots/list`. Absent in the modern era. Rejects with the client's `RpcError`, when the client is gone, or with
   * `methodNotFound` where no stream leads to the client now.
   */
  ask?(method: string, params: JsonObject, signal?: AbortSignal): Promise<JsonObject>;
}

/** A request of a client, in a form that does not depend on era and transport. */
export interface FaceRequest {
  /** Id of the request, as the client chose it. */
  readonly id: RequestId;
  /** MCP method, such as `tools/call`. */
  readonly method: string;
  /** As the client sent them, `_meta` included. */
  readonly params: JsonObject;
  /** The client that sent the request. */
  readonly client: FaceClient;
  /**
   * Aborted when the client cancels the request or goes away. A legacy client over HTTP has not gone when a connection of it breaks, only when its session
   * ends.
   */
  readonly signal: AbortSignal;
  /** The least severe log message that this client wants; `undefined`: none. */
  readonly logLevel: LogLevel | undefined;
  /** Whether the client has asked for progress. */
  readonly wantsProgress: boolean;
  /** Sends `notifications/progress` with the client's token; nothing where it wants none, nor after the answer. */
  reportProgress(progress: JsonObject): void;
  /** Sends a notification on this request's own stream. `notifications/message` only as severe as the client wants. */
  notify(method: string, params: JsonObject): void;
  /**
   * Asks the client something while it waits: `sampling/createMessage`, `elicitation/create`, `roots/list`. Legacy era only.
   * Rejects with the client's `RpcError`, or when the client is gone, or with `methodNotFound` in the modern era.
   */
  ask(method: string, params: JsonObject, signal?: AbortSignal): Promise<JsonObject>;
}

/** What a server answers to the handshake. */
export interface ServerDescription {
  /** Name and version of the server, as `Implementation` of the MCP schema. */
  readonly serverInfo: JsonObject;
  /** In the words of 2025-11-25; the front says of it what an era knows. */
  readonly capabilities: JsonObject;
  /** How to use the server, as text for a model. */
  readonly instructions?: string;
}

/** A server behind its fronts: it answers requests in a form that does not depend on era and transport. */
export interface ServerFace {
  /** Asked at each greeting and each `server/discover`. */
  describe(client: FaceClient): ServerDescription | Promise<ServerDescription>;
  /**
   * Answers every method but those of the front: `initialize`, `server/discover`, `ping`, `logging/setLevel`, `resources/subscribe`,
   * `resources/unsubscribe`, `subscriptions/listen`. A result with `resultType: 'input_required'` reaches modern clients only: to legacy ones a face says
   * the same by `ask`. Rejects with an `RpcError`; anything else is told as `internalError` without details.
   */
  handle(request: FaceRequest): Promise<JsonObject>;
  /** The client's notifications, such as `notifications/roots/list_changed`; cancellations and greetings are the front's. */
  notified?(method: string, params: JsonObject, client: FaceClient): void;
  /** Somebody wants to hear of a resource; answers the way to stop. Rejects with an `RpcError`. Absent: subscriptions are not supported. */
  watchResource?(uri: string, client: FaceClient): Promise<() => void>;
  /**
   * The input schema of a tool on offer, for the headers that its `x-mcp-header` asks modern HTTP clients for; on the hot path, so answered from memory.
   * Absent: such headers are not compared with the arguments.
   */
  inputSchema?(tool: string, client: FaceClient): JsonObject | undefined;
  /** The least severe level that any client wants has changed. */
  logLevelChanged?(level: LogLevel | undefined): void;
  /** A legacy session or a connection has ended. */
  clientGone?(client: FaceClient): void;
}

/** What a front serves at the moment. */
export interface FrontStatus {
  /** Legacy sessions; over stdio 1 once the client has completed the handshake. */
  readonly sessions: number;
  /** Open `subscriptions/listen` requests. */
  readonly subscriptions: number;
  /** Requests without an answer yet. */
  readonly requestsInFlight: number;
}

/** One way in. */
export interface Front {
  /**
   * Tells every client that is to hear it: list changes (legacy sessions, and listeners that asked), `notifications/resources/updated` (anyone who watches its
   * `uri`), `notifications/message` (legacy sessions, by their level).
   */
  publish(method: string, params: JsonObject): void;
  /** Returns what the front serves at the moment. */
  status(): FrontStatus;
  /** Takes nothing new; what runs may end within the limit, the rest is answered with an error; then sessions and streams are closed. */
  close(limitMs: number): Promise<void>;
}
