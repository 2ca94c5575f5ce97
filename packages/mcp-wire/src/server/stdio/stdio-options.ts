/** Owns what can be set of the stdio front. */
import type { Readable, Writable } from 'node:stream';
import type { Front } from '../handler.ts';

/** Settings of an MCP server over standard streams. */
export interface StdioFrontOptions {
  /** What the client writes, usually `process.stdin`. */
  readonly input: Readable;
  /** What the client reads, usually `process.stdout`. */
  readonly output: Writable;
  /** Longest line; a longer one is skipped and answered with an error. @default 64 MiB */
  readonly messageBytes?: number;
  /** Deepest nesting of a message. @default 128 */
  readonly depth?: number;
  /** Requests that run at a time; more are refused. @default 1000 */
  readonly inFlight?: number;
  /** Open `subscriptions/listen` requests. @default 100 */
  readonly subscriptions?: number;
  /** How long what runs may take to end once the input has ended. @default 10_000 */
  readonly drainMs?: number;
  /** What went wrong inside, for the operator: a client is told no details. */
  readonly onFault?: (error: unknown) => void;
}

/** An MCP server over standard streams, for one client. */
export interface StdioFront extends Front {
  /** Resolves when the client is gone and everything of it has ended, or after `close()`. */
  readonly ended: Promise<void>;
}
