/**
 * Owns one connection to a server: starting or reaching it, and the handshake.
 */
import { type Era, type JsonObject, type McpConnection, type WireError, connect, isRefusal } from '@holdfast/mcp-wire/client';
import { messageOf } from '../runner-error.ts';
import type { ServerLink } from './link.ts';
import { loadHttpLink } from './load-http-link.ts';
import type { McpSettings } from './options.ts';
import { isRedirect, redirectText } from './redirect.ts';
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
    const reason = explained(error, settings, link);
    // The exit of a server is reported a moment after its pipe closes.
    await link.kill(reason instanceof Error ? reason : new Error(messageOf(reason)));
    return {
      connection: undefined,
      cause: link.endReason() ?? explained(error, settings, link),
      stderrTail: link.stderrTail(),
      isEndedByRefusal,
    };
  }
}

/** Adds to an error of the handshake what is most often wrong. */
function explained(error: unknown, { endpoint }: McpSettings, { messages }: ServerLink): unknown {
  const { code, status = 0, message, headers } = error as Partial<WireError>;
  if (code === 'HTTP_STATUS' && isRedirect(status)) return Object.assign(new Error(redirectText(status, headers)), { code });
  const stray = messages.stray?.() ?? '';
  if (code === 'HANDSHAKE_TIMEOUT' && stray !== '') {
    const hint = `it wrote to standard output, which is for MCP only: "${stray.replaceAll(/\s+/g, ' ').slice(0, 120)}". Start it without its log, or as a server over HTTP`;
    return Object.assign(new Error(`${String(message)}; ${hint}`), { code });
  }
  if (endpoint.type === 'http' && code === 'HTTP_STATUS' && (status === 404 || status === 405)) {
    const hint = endpoint.url.pathname.endsWith('/sse')
      ? `this is an address of the older transport HTTP+SSE (2024-11-05), which is not supported. Most servers offer Streamable HTTP too, often at ${endpoint.url.origin}/mcp; for others, use a bridge as a command: npx -y mcp-remote ${endpoint.url.href} --transport sse-only`
      : 'there is no MCP server (Streamable HTTP) at this address: check the path of the url, often /mcp';
    return Object.assign(new Error(`HTTP ${status}: ${hint}`), { code });
  }
  return error;
}
