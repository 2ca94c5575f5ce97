/**
 * Owns what a connection to a server can do, whatever its era and transport.
 *
 * Invariants
 * 1. Every request settles: with the server's result, its `RpcError`, the reason of the caller's signal, or the error of a connection that ended.
 * 2. Results, params and notifications are handed on as they came, unknown fields included.
 */
import type { Era, LogLevel } from '../era.ts';
import type { JsonObject } from '../message.ts';

/** The server's answer to `initialize`, or to `server/discover` in the modern era. */
export interface ServerGreeting {
  /** Era of the negotiated revision. */
  readonly era: Era;
  /** Negotiated revision, such as `2025-11-25`. */
  readonly protocolVersion: string;
  /** `{}` where the server does not say. */
  readonly serverInfo: JsonObject;
  /** Capabilities of the server; `{}` if it sent none. */
  readonly capabilities: JsonObject;
  /** How to use the server, as text for a model. Absent if it sent none. */
  readonly instructions?: string;
}

/** Settings of one request to a server. */
export interface ClientRequestOptions {
  /** Cancels at the server too: by notification, or by closing the request's stream. */
  readonly signal?: AbortSignal | undefined;
  /** Asks for progress; called with the params of each `notifications/progress`, without the token. */
  readonly onProgress?: ((progress: JsonObject) => void) | undefined;
  /** Other notifications that came on this request's own stream. Over stdio none can be told apart: they go to the connection's listener. */
  readonly onNotification?: ((method: string, params: JsonObject) => void) | undefined;
  /**
   * A legacy server asks the client something while this request runs. Where it does not say for which (stdio): if this is the only request with
   * such a listener for which no question is open, or the question follows at once on another one for this request.
   */
  readonly onRequest?: ((method: string, params: JsonObject) => Promise<JsonObject>) | undefined;
  /** Modern era: who asks, instead of what the connection was made with. */
  readonly clientInfo?: JsonObject | undefined;
  /** Modern era: capabilities sent with this request, instead of those of the connection. */
  readonly clientCapabilities?: JsonObject | undefined;
  /** Modern era: the least severe log message wanted on this request's stream. */
  readonly logLevel?: LogLevel | undefined;
  /** Modern HTTP: the tool's input schema, for the headers that its `x-mcp-header` asks for. @default as the last `tools/list` said */
  readonly inputSchema?: JsonObject | undefined;
}

/** Who this side is, and how it answers. */
export interface ConnectOptions {
  /** Tried in this order as long as the server refuses; a server that ends at a refusal ends the attempt. */
  readonly eras: readonly Era[];
  /** Name and version of this side, as `Implementation` of the MCP schema. */
  readonly clientInfo: JsonObject;
  /** Capabilities of this side, as `ClientCapabilities` of the MCP schema. */
  readonly clientCapabilities: JsonObject;
  /** How long each greeting may take. */
  readonly timeoutMs: number;
  /** Aborts the attempt to connect. */
  readonly signal?: AbortSignal | undefined;
  /** Requests of a legacy server that belong to no request of ours. Absent: none is answered but `ping`. */
  readonly answer?: ((method: string, params: JsonObject) => Promise<JsonObject>) | undefined;
  /** Notifications that belong to no request. What it throws is swallowed. */
  readonly onNotification?: ((method: string, params: JsonObject) => void) | undefined;
  /** Legacy HTTP: keep the standing stream open. @default false */
  readonly listen?: boolean | undefined;
}

/** A connection to an MCP server, after the handshake. */
export interface McpConnection {
  /** The server's answer to the handshake. */
  readonly greeting: ServerGreeting;
  /** Sends a request and resolves to its result. Rejects with an `RpcError` of the server, a `WireError`, or the reason of the signal. */
  readonly request: (method: string, params?: JsonObject, options?: ClientRequestOptions) => Promise<JsonObject>;
  /** Over HTTP resolves when the server has taken it. */
  readonly notify: (method: string, params?: JsonObject) => Promise<void>;
  /** Whether the server answers within the limit: a `ping`, or `server/discover` in the modern era. An error of the server is an answer too. */
  readonly isWell: (limitMs: number) => Promise<boolean>;
  /** Resolves when every cancellation sent so far has reached the server or failed to. */
  readonly cancelsDelivered: () => Promise<void>;
  /** Resolves when the connection has ended, however it did. */
  readonly ended: Promise<void>;
  /** Ends the connection. A legacy HTTP session is ended at the server too. */
  readonly close: () => Promise<void>;
}
