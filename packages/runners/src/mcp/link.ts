/**
 * What a connection needs of the way to its server, stdio or HTTP, beyond the messages.
 */
import type { MessageLink } from '@holdfast/mcp-wire/client';

export interface ServerLink {
  readonly messages: MessageLink;
  readonly pid: number | undefined;
  /** The last of what the server wrote to standard error, without secrets. */
  readonly stderrTail: () => string;
  /** Why the link has ended, once it has. */
  readonly endReason: () => Error | undefined;
  /** Ends a server that does not answer any more, at once. */
  readonly kill: (reason: Error) => Promise<void>;
}
