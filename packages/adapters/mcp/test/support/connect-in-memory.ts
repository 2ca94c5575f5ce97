/** A client with Holdfast and the bare one behind it, with an in-memory server. */
import type { ReliableClient, ReliableClientOptions } from '@holdfast/mcp';
import { reliableClient } from '@holdfast/mcp';
import type { Client } from '@modelcontextprotocol/client';
import type { CallToolResult, McpServer } from '@modelcontextprotocol/server';
import { onTestFinished } from 'vitest';
import type { AnyClient, ServedTool } from './servers.ts';
import { connect, serverOf } from './servers.ts';

export const quick: ReliableClientOptions = { seed: 'test', policy: { retry: { initialDelayMs: 1, maxDelayMs: 1, maxAttempts: 3 } } };
type Call = (name: string, args?: Record<string, unknown>, options?: Parameters<AnyClient['call']>[2]) => Promise<CallToolResult>;

export interface Joined {
  readonly server: McpServer;
  readonly bare: AnyClient['client'];
  readonly safe: ReliableClient<Client>;
  /** Of the shared client. */
  readonly call: Call;
  /** Of a conversation. */
  readonly callInConversation: Call;
  readonly callBare: Call;
}

export async function join(
  version: AnyClient['version'],
  tools: readonly ServedTool[],
  options: ReliableClientOptions = quick,
): Promise<Joined> {
  const server = serverOf(tools);
  const { client, call } = await connect(version, server);
  onTestFinished(() => client.close());
  const safe = reliableClient(client as Client, options);
  const calling =
    (using: unknown): Call =>
    (name, args, more) =>
      call(using as never, { name, ...(args ? { arguments: args } : {}) }, more);
  return {
    server,
    bare: client,
    safe,
    call: calling(safe),
    callInConversation: calling(safe.reliable.startRun()),
    callBare: calling(client),
  };
}

export const textOf = ({ content }: CallToolResult): string =>
  content.map((part) => (part.type === 'text' ? part.text : `[${part.type}]`)).join('\n');
