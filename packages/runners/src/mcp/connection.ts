/**
 * Owns one connection to a server: starting or reaching it, and greeting it.
 */
import { type Era, type JsonObject, type McpConnection, connect, isRefusal } from '@holdfast/mcp-wire/client';
import { messageOf } from '../runner-error.ts';
import type { ServerLink } from './link.ts';
import { loadHttpLink } from './load-http-link.ts';
import type { McpSettings } from './options.ts';
import { stdioLink } from './stdio-link.ts';

export interface Connection {
  readonly peer: McpConnection;
  readonly link: ServerLink;
}

/** A connection, or why there is none. */
export type Greeting =
  | { readonly connection: Connection }
  | {
      readonly connection: undefined;
      readonly cause: unknown;
      readonly stderrTail: string;
      /** The server does not speak the first of the eras, and has ended when it heard it. */
      readonly isEndedByRefusal: boolean;
    };

export interface GreetingOptions {
  /** In the order in which they are tried. */
  readonly eras: readonly Era[];
  readonly signal: AbortSignal;
  readonly onNotification: (method: string, params: JsonObject) => void;
}

/** Starts or reaches the server and greets it. Never rejects; where there is no connection, nothing of it is left. */
export async function greet(settings: McpSettings, { eras, signal, onNotification }: GreetingOptions): Promise<Greeting> {
  let link: ServerLink;
  try {
    link =
      settings.endpoint.type === 'stdio' ? stdioLink(settings, settings.endpoint) : (await loadHttpLink())(settings, settings.endpoint);
  } catch (cause) {
    return { connection: undefined, cause, stderrTail: '', isEndedByRefusal: false };
  }
  const { clientInfo, clientCapabilities, answer, listen, startupTimeoutMs: timeoutMs } = settings;
  try {
    const peer = await connect(link.messages, { eras, clientInfo, clientCapabilities, timeoutMs, signal, answer, onNotification, listen });
    return { connection: { peer, link } };
  } catch (error) {
    const isEndedByRefusal = isRefusal(error) && link.endReason() !== undefined;
    // A server that has died on its own is noticed a moment after its pipe.
    await link.kill(error instanceof Error ? error : new Error(messageOf(error)));
    return { connection: undefined, cause: link.endReason() ?? error, stderrTail: link.stderrTail(), isEndedByRefusal };
  }
}
