/** Owns what can be set of the HTTP front, and its bounds. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Front } from '../handler.ts';

/** Every store of the front has a bound. */
export interface HttpFrontLimits {
  /** Longest body of a request. @default 4 MiB */
  readonly bodyBytes: number;
  /** Deepest nesting of a message. @default 128 */
  readonly depth: number;
  /** Legacy sessions at a time. The one unused for longest gives way where nothing of it runs; else a greeting is refused (503). @default 1000 */
  readonly sessions: number;
  /** A session without request and stream for this long is forgotten. @default 30 minutes */
  readonly sessionIdleMs: number;
  /** Open `subscriptions/listen` streams. @default 1000 */
  readonly subscriptions: number;
  /** Requests that run at a time; more are refused (503). @default 1000 */
  readonly inFlight: number;
  /** A silent stream gets a comment this often; a request without answer becomes a stream after this long. @default 15_000 */
  readonly keepAliveMs: number;
  /** What a stream may hold back for a client that does not read: then notifications are dropped, or the stream ends. @default 1 MiB */
  readonly streamBytes: number;
  /** Events of a legacy session that are kept for `Last-Event-ID`; of all sessions together at most 64 MiB. @default 2 MiB */
  readonly replayBytes: number;
}

export const defaultHttpFrontLimits: HttpFrontLimits = {
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
export interface HttpFrontOptions {
  /** Bounds to use in place of the defaults. @default `defaultHttpFrontLimits` */
  readonly limits?: Partial<HttpFrontLimits>;
  /** What went wrong inside, for the operator: a client is told no details. */
  readonly onFault?: (error: unknown) => void;
}

/** Who the shell says has sent a request. */
export interface HttpCaller {
  /** Name of the caller, such as that of its token; never the token. */
  readonly principal?: string | undefined;
}

/** An MCP endpoint over Streamable HTTP, for an HTTP server of yours. */
export interface HttpFront extends Front {
  /** Answers one request to the MCP endpoint. Host, Origin and credentials have been checked before. */
  readonly handle: (request: IncomingMessage, response: ServerResponse, caller: HttpCaller) => void;
}
