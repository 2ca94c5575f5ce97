/**
 * Runs tools of an MCP server, over stdio or Streamable HTTP.
 *
 * Invariants
 * 1. All tools of a server share one connection; it is made at the first call or by `connect()`.
 * 2. The protocol client is loaded at the first call, or by a runner's `load`.
 * 3. After `close` no process, timer or socket of the server is left.
 */
import type { Runner } from '@holdfast/core';
import { lifespan } from '../lifespan.ts';
import type { LoadableRunner } from '../load.ts';
import { text } from '../options/fields.ts';
import { releaseGuard } from '../process/guard.ts';
import type { ClientRequestOptions, JsonObject, ServerGreeting } from '@holdfast/mcp-wire/client';
import type { Tool } from '@modelcontextprotocol/client';
import type * as callToolModule from './call-tool.ts';
import { effectFromAnnotations, type ToolAnnotations } from './annotations.ts';
import { type McpServerOptions, mcpSettings } from './options.ts';
import { type McpServerStatus, supervise } from './supervisor.ts';

/** A tool as the server describes it. */
export interface McpTool {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  /** JSON Schema of the arguments. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
  /** JSON Schema of structured output. */
  readonly outputSchema?: Readonly<Record<string, unknown>>;
  readonly annotations?: ToolAnnotations;
  /** What the annotations say about retrying: see `effectFromAnnotations`. */
  readonly effect?: 'read' | 'idempotent' | 'unsafe';
}

export type McpServerEvent =
  | { readonly type: 'notification'; readonly method: string; readonly params: JsonObject }
  | { readonly type: 'status'; readonly status: McpServerStatus };

export interface McpServer {
  /** A runner of one tool. The server is closed when every runner made of it has been closed. */
  readonly tool: (name: string) => LoadableRunner;
  readonly listTools: () => Promise<readonly McpTool[]>;
  /** Starts or reaches the server now instead of at the first call. */
  readonly connect: () => Promise<void>;
  readonly status: () => McpServerStatus;
  /** What the server said of itself; connects when needed. */
  readonly greeting: () => Promise<ServerGreeting>;
  /**
   * Any request, its result as it came. Sent a second time only where the server said that it does not know the session.
   * Rejects as calls do, and with the server's `RpcError`.
   */
  readonly request: (method: string, params?: JsonObject, options?: ClientRequestOptions) => Promise<JsonObject>;
  /** Hears the server's notifications that belong to no request, and changes of the status. Returns the way to stop. */
  readonly subscribe: (listener: (event: McpServerEvent) => void) => () => void;
  /** Has the server tell of changes of a resource, again after a reconnect. Resolves with the way to stop. */
  readonly watchResource: (uri: string) => Promise<() => void>;
  /** Ends the calls under way, the connection, and of a stdio server its whole process group. */
  readonly close: () => Promise<void>;
}

/**
 * A supervised MCP server. Calls reject with `MCP_TOOL_ERROR` (the tool said so; message and `mcpCode` are the tool's),
 * `MCP_SERVER_DOWN` (nothing was sent; `retryAfterMs`), `MCP_CALL_LOST` (the server went while the call ran: it may have taken effect),
 * `MCP_MESSAGE_TOO_LARGE`, or the error of the protocol or the network as it is.
 * @throws TypeError when an option is misused
 */
export function mcpServer(options: McpServerOptions): McpServer {
  const settings = mcpSettings(options);
  const supervisor = supervise(settings);
  const life = lifespan(`MCP server ${settings.name}`);
  const openRunners = new Set<Runner<unknown>>();
  const loaded = (): Promise<typeof callToolModule> => import('./call-tool.ts');
  let closed: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closed ??= life.close().then(supervisor.close).then(releaseGuard);
    return closed;
  };
  const tool = (name: string): LoadableRunner => {
    text('tool: name', name);
    const run: Runner<unknown> = (args, context) =>
      life.during(context.signal, async (signal) => {
        const { callTool } = await loaded();
        return callTool(settings, supervisor, name, args, context, signal);
      });
    const closeRunner = async (): Promise<void> => {
      openRunners.delete(runner);
      if (openRunners.size === 0) await close();
    };
    const runner = Object.assign(run, { kind: 'mcp' as const, close: closeRunner, load: async () => void (await loaded()) });
    openRunners.add(runner);
    return runner;
  };
  return {
    tool,
    close,
    status: supervisor.status,
    connect: async () => void (await supervisor.connection()),
    greeting: () => Promise.reject(new Error('not yet')),
    request: () => Promise.reject(new Error('not yet')),
    subscribe: () => () => {},
    watchResource: () => Promise.reject(new Error('not yet')),
    async listTools() {
      const { client } = await supervisor.connection();
      const { tools } = await client.listTools(undefined, { timeout: settings.startupTimeoutMs });
      return tools.map(toolOf);
    },
  };
}

function toolOf(listed: Tool): McpTool {
  const { name, title, description, inputSchema, outputSchema, annotations } = listed;
  const effect = effectFromAnnotations(annotations);
  return {
    name,
    inputSchema,
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    ...(outputSchema === undefined ? {} : { outputSchema: outputSchema as Readonly<Record<string, unknown>> }),
    ...(annotations === undefined ? {} : { annotations }),
    ...(effect === undefined ? {} : { effect }),
  };
}
