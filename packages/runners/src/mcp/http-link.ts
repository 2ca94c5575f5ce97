/**
 * Owns the link to a Streamable HTTP server: the sockets and the configured headers.
 *
 * Invariants
 * 1. After `close` no timer and no connection is left.
 */
import { httpLink as messagesOverHttp } from '@holdfast/mcp-wire/client';
import { httpClient } from '../http/client.ts';
import { reveal } from '../options/secret.ts';
import type { ServerLink } from './link.ts';
import type { HttpEndpoint, McpSettings } from './options.ts';

export function httpLink(settings: McpSettings, endpoint: HttpEndpoint): ServerLink {
  const headers = Object.fromEntries(Object.entries(endpoint.headers).map(([name, value]) => [name, reveal(value)]));
  const client = httpClient({ connectTimeoutMs: settings.startupTimeoutMs, addresses: 'any' });
  const { graceMs, maxMessageBytes } = settings;
  const { url, authorizer } = endpoint;
  const messages = messagesOverHttp({ url, headers, dispatcher: client.agent, maxMessageBytes, graceMs, authorizer });
  const close = async (): Promise<void> => {
    await messages.close();
    await client.destroy();
  };
  return {
    messages: { ...messages, close },
    pid: undefined,
    stderrTail: () => '',
    endReason: () => undefined,
    // A request that ends the session has a limit of its own.
    limitGrace: () => undefined,
    kill: close,
  };
}
