/** Owns the options of the stdio transport. */
import type { Readable, Writable } from 'node:stream';
import type { ServerTransport } from '../handler.ts';

/** Settings of an MCP server over standard streams. */
export interface StdioTransportOptions {
  /** The stream the client writes to, usually `process.stdin`. */
  readonly input: Readable;
  /** The stream the client reads from, usually `process.stdout`. */
  readonly output: Writable;
  /** Maximum length of a line; a longer one is skipped and answered with an error. @default 64 MiB */
  readonly messageBytes?: number;
  /** Maximum nesting depth of a message. @default 128 */
  readonly depth?: number;
  /** Maximum number of concurrent requests; further ones are refused. @default 1000 */
  readonly inFlight?: number;
  /** Maximum number of open `subscriptions/listen` requests. @default 100 */
  readonly subscriptions?: number;
  /** Time running requests have to finish once the input has ended. @default 10_000 */
  readonly drainMs?: number;
  /** Called with each internal error, whose details are not sent to the client. */
  readonly onFault?: (error: unknown) => void;
}

/** An MCP server over standard streams, for one client. */
export interface StdioTransport extends ServerTransport {
  /** Resolves when the client has disconnected and all its requests have ended, or after `close()`. */
  readonly ended: Promise<void>;
}
