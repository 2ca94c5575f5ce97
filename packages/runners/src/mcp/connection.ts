/**
 * Owns one connection to a server: greeting it in one protocol era, asking whether it is well, ending it.
 */
import { Client, type VersionNegotiationMode } from '@modelcontextprotocol/client';
import { codeOf, messageOf } from '../runner-error.ts';
import { httpLink } from './http-link.ts';
import type { ServerLink } from './link.ts';
import type { McpSettings } from './options.ts';
import { stdioLink } from './stdio-link.ts';

export type ProtocolEra = 'legacy' | 'modern';

export interface Connection {
  readonly client: Client;
  readonly link: ServerLink;
  readonly era: ProtocolEra;
  /** Resolves when the connection has ended, however it did. */
  readonly ended: Promise<void>;
}

/** A connection, or why there is none. */
export type Greeting =
  | { readonly connection: Connection }
  | {
      readonly connection: undefined;
      readonly cause: unknown;
      readonly stderrTail: string;
      /** The server lives but does not speak this protocol. */
      readonly isRefused: boolean;
    };

const modes: Readonly<Record<ProtocolEra, VersionNegotiationMode>> = { legacy: 'legacy', modern: { pin: '2026-07-28' } };

/** The output is checked against its schema where the call is answered, not by the protocol client. */
const noSchemaCheck = {
  getValidator: () => (input: unknown) => ({ valid: true as const, data: input as never, errorMessage: undefined }),
};

/** Starts or reaches the server and greets it. Never rejects; where there is no connection, nothing of it is left. */
export async function greet(settings: McpSettings, era: ProtocolEra, signal: AbortSignal): Promise<Greeting> {
  let link: ServerLink;
  try {
    link = settings.endpoint.type === 'stdio' ? stdioLink(settings, settings.endpoint) : httpLink(settings, settings.endpoint);
  } catch (cause) {
    return { connection: undefined, cause, stderrTail: '', isRefused: false };
  }
  const client = new Client(
    { name: 'holdfast', version: '0.1.0' },
    { capabilities: {}, jsonSchemaValidator: noSchemaCheck, versionNegotiation: { mode: modes[era] } },
  );
  client.onerror = () => {};
  const ended = new Promise<void>((resolve) => {
    client.onclose = resolve;
  });
  try {
    await client.connect(link.transport, { timeout: settings.startupTimeoutMs, signal });
    return { connection: { client, link, era, ended } };
  } catch (error) {
    // A server that has died on its own is noticed a moment after its pipe.
    const isRefused = isRefusal(error);
    await link.kill(error instanceof Error ? error : new Error(messageOf(error)));
    return { connection: undefined, cause: link.endReason() ?? error, stderrTail: link.stderrTail(), isRefused };
  }
}

/** Whether the server still answers: `ping`, or `server/discover` where there is no ping any more. */
export async function isWell({ client, era }: Connection, timeoutMs: number): Promise<boolean> {
  try {
    await (era === 'legacy' ? client.ping({ timeout: timeoutMs }) : client.discover({ timeout: timeoutMs }));
    return true;
  } catch (error) {
    // An error that the server itself has sent is an answer too.
    return typeof codeOf(error) === 'number';
  }
}

/** The HTTP status that the protocol client reports. */
export function statusOf(error: unknown): number | undefined {
  const data = typeof error === 'object' && error !== null ? (error as { readonly data?: unknown }).data : undefined;
  const status = typeof data === 'object' && data !== null ? (data as { readonly status?: unknown }).status : undefined;
  return typeof status === 'number' ? status : undefined;
}

function isRefusal(error: unknown): boolean {
  if (typeof codeOf(error) === 'number') return true;
  const status = statusOf(error);
  return status === 400 || status === 404 || status === 405 || messageOf(error).includes('protocol version is not supported');
}
