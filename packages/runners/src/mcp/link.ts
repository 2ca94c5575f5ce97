/**
 * Owns the interface of a link to a server, stdio or HTTP, besides the messages.
 */
import type { MessageLink } from '@holdfast/mcp-wire/client';

export interface ServerLink {
  readonly messages: MessageLink;
  readonly pid: number | undefined;
  /** The end of the server's standard error, without secrets. */
  readonly stderrTail: () => string;
  /** Why the link has ended; `undefined` while it is open. */
  readonly endReason: () => Error | undefined;
  /** From now on `close` waits no longer than this for the end of the server, and as long after SIGTERM. */
  readonly limitGrace: (graceMs: number) => void;
  /** Kills a server that no longer answers. */
  readonly kill: (reason: Error) => Promise<void>;
}
