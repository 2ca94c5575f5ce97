/**
 * Owns what a connection to a server can do, whatever its era and transport.
 *
 * Invariants
 * 1. Every request settles: with the server's result, its `RpcError`, the reason of the caller's signal, or the error of a connection that ended.
 * 2. Results, params and notifications are handed on as they came, unknown fields included.
 */
import type { Era, LogLevel } from '../era.ts';
import type { JsonObject } from '../message.ts';

export interface ServerGreeting {
  readonly era: Era;
  readonly protocolVersion: string;
  /** `{}` where the server does not say. */
  readonly serverInfo: JsonObject;
  readonly capabilities: JsonObject;
  readonly instructions?: string;
}

export interface ClientRequestOptions {
  /** Cancels at the server too: by notification, or by closing the request's stream. */
  readonly signal?: AbortSignal | undefined;
  /** Asks for progress; called with the params of each `notifications/progress`, without the token. */
  readonly onProgress?: ((progress: JsonObject) => void) | undefined;
  /** Other notifications that came on this request's own stream. Over stdio none can be told apart: they go to the connection's listener. */
  readonly onNotification?: ((method: string, params: JsonObject) => void) | undefined;
  /** A legacy server asks the client something while this request runs. Over stdio: where this is the only request under way. */
  readonly onRequest?: ((method: string, params: JsonObject) => Promise<JsonObject>) | undefined;
  /** Modern era: who asks, instead of what the connection was made with. */
  readonly clientInfo?: JsonObject | undefined;
  readonly clientCapabilities?: JsonObject | undefined;
  /** Modern era: the least severe log message wanted on this request's stream. */
  readonly logLevel?: LogLevel | undefined;
  /** Modern HTTP: the tool's input schema, for the headers that its `x-mcp-header` asks for. */
  readonly inputSchema?: JsonObject | undefined;
}

export interface McpConnection {
  readonly greeting: ServerGreeting;
  request(method: string, params?: JsonObject, options?: ClientRequestOptions): Promise<JsonObject>;
  notify(method: string, params?: JsonObject): Promise<void>;
  /** Resolves when the connection has ended, however it did. */
  readonly ended: Promise<void>;
  close(): Promise<void>;
}
