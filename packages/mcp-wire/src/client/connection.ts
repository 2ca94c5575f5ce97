/**
 * Owns what a connection to a server can do, whatever its era and transport.
 *
 * Invariants
 * 1. Every request settles: with the server's result, its `RpcError`, the reason of the caller's signal, or the error of a connection that ended.
 * 2. Results, params and notifications are passed on unchanged, including unknown fields.
 */
import type { Era, LogLevel } from '../era.ts';
import type { JsonObject } from '../message.ts';

/** The server's answer to `initialize`, or to `server/discover` in the modern era. */
export interface ServerHandshake {
  /** Era of the negotiated revision. */
  readonly era: Era;
  /** Negotiated revision, such as `2025-11-25`. */
  readonly protocolVersion: string;
  /** Name and version of the server, as `Implementation` of the MCP schema; `{}` if it sent none. */
  readonly serverInfo: JsonObject;
  /** Capabilities of the server; `{}` if it sent none. */
  readonly capabilities: JsonObject;
  /** How to use the server, as text for a model. Absent if it sent none. */
  readonly instructions?: string;
}

/** Settings of one request to a server. */
export interface ClientRequestOptions {
  /** Also cancels the request at the server: by notification, or by closing the request's stream. */
  readonly signal?: AbortSignal | undefined;
  /** Requests progress; called with the params of each `notifications/progress`, without the token. */
  readonly onProgress?: ((progress: JsonObject) => void) | undefined;
  /** Called with other notifications on this request's own stream. Over stdio, they cannot be assigned to a request and go to the connection's listener. */
  readonly onNotification?: ((method: string, params: JsonObject) => void) | undefined;
  /**
   * Called when a legacy server sends a request during this one. Over stdio, a server's request is assigned to the only request with
   * such a listener and without an open question, or to the request to which the question just before was assigned.
   */
  readonly onRequest?: ((method: string, params: JsonObject) => Promise<JsonObject>) | undefined;
  /** Whose request it is. While requests of several are pending, a request of a server that could belong to any of them is given to none. @default nobody's */
  readonly onBehalfOf?: string | undefined;
  /** Modern era: client info of this request, instead of that of the connection. */
  readonly clientInfo?: JsonObject | undefined;
  /** Modern era: capabilities sent with this request, instead of those of the connection. */
  readonly clientCapabilities?: JsonObject | undefined;
  /** Modern era: minimum severity of log messages on this request's stream. */
  readonly logLevel?: LogLevel | undefined;
  /** Modern HTTP: the tool's input schema, for the headers that its `x-mcp-header` declares. @default that of the last `tools/list` */
  readonly inputSchema?: JsonObject | undefined;
}

/** Settings of a connection: the identity of this side, and its handlers. */
export interface ConnectOptions {
  /** Tried in this order while the server refuses; the attempt ends if the server ends after a refusal. */
  readonly eras: readonly Era[];
  /** Name and version of this side, as `Implementation` of the MCP schema. */
  readonly clientInfo: JsonObject;
  /** Capabilities of this side, as `ClientCapabilities` of the MCP schema. */
  readonly clientCapabilities: JsonObject;
  /** Time limit of each handshake. */
  readonly timeoutMs: number;
  /** Aborts the attempt to connect. */
  readonly signal?: AbortSignal | undefined;
  /** Answers requests of a legacy server outside of any request of this side. @default only `ping` is answered */
  readonly answer?: ((method: string, params: JsonObject) => Promise<JsonObject>) | undefined;
  /** Called with notifications that belong to no request. Errors that it throws are ignored. */
  readonly onNotification?: ((method: string, params: JsonObject) => void) | undefined;
  /** Legacy HTTP: keeps the standalone stream open. @default false */
  readonly listen?: boolean | undefined;
}

/** A connection to an MCP server, after the handshake. */
export interface McpConnection {
  /** The server's answer to the handshake. */
  readonly handshake: ServerHandshake;
  /** Sends a request and resolves to its result. Rejects with an `RpcError` of the server, a `WireError`, or the reason of the signal. */
  readonly request: (method: string, params?: JsonObject, options?: ClientRequestOptions) => Promise<JsonObject>;
  /** Sends a notification. Over HTTP, resolves when the server has accepted it. */
  readonly notify: (method: string, params?: JsonObject) => Promise<void>;
  /** Whether the server answers within the limit: a `ping`, or `server/discover` in the modern era. An error of the server is an answer too. */
  readonly isResponsive: (limitMs: number) => Promise<boolean>;
  /** Resolves when every cancellation sent so far has reached the server or failed to. */
  readonly cancelsDelivered: () => Promise<void>;
  /** Resolves when the connection has ended, for any reason. */
  readonly ended: Promise<void>;
  /** Ends the connection. A legacy HTTP session is ended at the server too. */
  readonly close: () => Promise<void>;
}
