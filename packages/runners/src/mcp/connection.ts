/**
 * Owns one connection to a server: starting or reaching it, and the handshake.
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

/** A connection, or the reason of the failure. */
export type ConnectResult =
  | { readonly connection: Connection }
  | {
      readonly connection: undefined;
      readonly cause: unknown;
      readonly stderrTail: string;
      /** The server does not support the first era, and has exited during its handshake. */
      readonly isEndedByRefusal: boolean;
    };

export interface ConnectServerOptions {
  /** In the order of the tries. */
  readonly eras: readonly Era[];
  readonly signal: AbortSignal;
  readonly onNotification: (method: string, params: JsonObject) => void;
}

/** Starts or reaches the server and runs the handshake. Never rejects. After a failure nothing is left open. */
export async function connectServer(settings: McpSettings, { eras, signal, onNotification }: ConnectServerOptions): Promise<ConnectResult> {
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
    // The exit of a server is reported a moment after its pipe closes.
    await link.kill(error instanceof Error ? error : new Error(messageOf(error)));
    return { connection: undefined, cause: link.endReason() ?? error, stderrTail: link.stderrTail(), isEndedByRefusal };
  }
}
