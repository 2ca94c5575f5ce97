/** Owns the options of the HTTP transport and their limits. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ServerTransport } from '../handler.ts';

/** Upper limits on what the transport keeps in memory. */
export interface HttpTransportLimits {
  /** Maximum size of a request body. @default 4 MiB */
  readonly bodyBytes: number;
  /** Maximum nesting depth of a message. @default 128 */
  readonly depth: number;
  /** Maximum number of legacy sessions. At the limit, an idle session is ended, first of the same principal; if all are in use, `initialize` is refused with 503. @default 1000 */
  readonly sessions: number;
  /** Time without a request or an open stream after which a session is ended. @default 30 minutes */
  readonly sessionIdleMs: number;
  /** Maximum number of open `subscriptions/listen` streams. @default 1000 */
  readonly subscriptions: number;
  /** Maximum number of concurrent requests; further ones are refused with 503. @default 1000 */
  readonly inFlight: number;
  /** Interval between keep-alive comments on an idle stream. A request unanswered after this time switches to a stream. @default 15_000 */
  readonly keepAliveMs: number;
  /** Maximum number of bytes buffered for a client that does not read. Beyond it, notifications are dropped or the stream ends. @default 1 MiB */
  readonly streamBytes: number;
  /** Maximum size of the events kept per legacy session for `Last-Event-ID`; 64 MiB for all sessions together. @default 2 MiB */
  readonly replayBytes: number;
}

export const defaultHttpTransportLimits: HttpTransportLimits = {
  bodyBytes: 4_194_304,
  depth: 128,
  sessions: 1000,
  sessionIdleMs: 1_800_000,
  subscriptions: 1000,
  inFlight: 1000,
  keepAliveMs: 15_000,
  streamBytes: 1_048_576,
  replayBytes: 2_097_152,
};

/** Settings of an MCP endpoint over HTTP. */
export interface HttpTransportOptions {
  /** Limits that override the defaults. @default `defaultHttpTransportLimits` */
  readonly limits?: Partial<HttpTransportLimits>;
  /**
   * Signs the ids of legacy sessions. A session is continued by every process with the same key: after a restart, and at a second server.
   * @default a random key: sessions end with the process
   */
  readonly sessionKey?: string | Uint8Array | undefined;
  /** Called with each internal error, whose details are not sent to the client. */
  readonly onFault?: (error: unknown) => void;
}

/** The sender of a request, as authenticated by the embedding HTTP server. */
export interface HttpCaller {
  /** Name of the caller, such as the name of its token; never the token itself. */
  readonly principal?: string | undefined;
  /** What else is known about the caller, such as its permissions. Handed to the handler with each request, unchanged. */
  readonly access?: unknown;
  /** Name of the endpoint, if there are several: a session belongs to one of them. */
  readonly endpoint?: string | undefined;
}

/** An MCP endpoint over Streamable HTTP, to be mounted in an existing HTTP server. */
export interface HttpTransport extends ServerTransport {
  /** Answers one request to the MCP endpoint. Host, Origin and credentials must have been checked already. */
  readonly handle: (request: IncomingMessage, response: ServerResponse, caller: HttpCaller) => void;
  /** Ends the sessions of all other principals. */
  readonly retain: (isKnown: (principal: string | undefined) => boolean) => void;
}
