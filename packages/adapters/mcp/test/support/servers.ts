/** Servers and clients of both SDKs, connected in memory. */
import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js';
import type { RequestOptions } from '@modelcontextprotocol/sdk/shared/protocol.js';
import type { CallToolResult, ToolAnnotations } from '@modelcontextprotocol/server';
import { fromJsonSchema, McpServer } from '@modelcontextprotocol/server';

export interface ServedTool {
  readonly name: string;
  readonly description?: string;
  readonly schema?: Readonly<Record<string, unknown>>;
  readonly annotations?: ToolAnnotations;
  readonly run: (args: never, context: { readonly signal: AbortSignal; readonly notify: (message: object) => Promise<void> }) => unknown;
}

export const textResult = (text: string): CallToolResult => ({ content: [{ type: 'text', text }] });

/** The return value of `run` is the result; a string is converted to one. */
export function serverOf(tools: readonly ServedTool[]): McpServer {
  const server = new McpServer({ name: 'test', version: '1.0.0' });
  for (const tool of tools) serve(server, tool);
  return server;
}

export function serve(
  server: McpServer,
  { name, description, schema, annotations, run }: ServedTool,
): ReturnType<McpServer['registerTool']> {
  const inputSchema = fromJsonSchema(schema ?? { type: 'object' });
  const about = { inputSchema, ...(description === undefined ? {} : { description }), ...(annotations ? { annotations } : {}) };
  return server.registerTool(name, about, async (args, context) => {
    const { signal, notify } = context.mcpReq;
    const output = await run(args as never, { signal, notify: (message) => notify(message as never) });
    return typeof output === 'string' ? textResult(output) : (output as CallToolResult);
  });
}

/** Answers the requests for one tool without the checks of the SDK's server. */
export function answerRaw(server: McpServer, tool: object, run: () => object): void {
  server.server.setRequestHandler('tools/list', () => ({ tools: [tool] }) as never);
  server.server.setRequestHandler('tools/call', () => run() as never);
}

/** The common part of both clients. */
export interface AnyClient {
  readonly version: 'v1' | 'v2';
  readonly client: Client | FirstClient;
  /** `callTool` in the form of its version. */
  readonly call: (
    client: never,
    params: { name: string; arguments?: Record<string, unknown> },
    options?: RequestOptions,
  ) => Promise<CallToolResult>;
}

export const versions = ['v1', 'v2'] as const;

export async function connect(version: AnyClient['version'], server: McpServer): Promise<AnyClient> {
  const [near, far] = InMemoryTransport.createLinkedPair();
  await server.connect(far);
  if (version === 'v2') {
    const client = new Client({ name: 'test', version: '1.0.0' });
    await client.connect(near);
    return { version, client, call: (using: Client, params, options) => using.callTool(params, options) };
  }
  const client = new FirstClient({ name: 'test', version: '1.0.0' });
  await client.connect(near as never);
  return {
    version,
    client,
    call: (using: FirstClient, params, options) => using.callTool(params, undefined, options) as Promise<CallToolResult>,
  };
}
