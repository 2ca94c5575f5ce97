/**
 * Runs tools of an MCP server, over stdio or Streamable HTTP.
 *
 * Invariants
 * 1. All tools of a server share one connection, which is opened at the first call or by `connect()`.
 * 2. The protocol client is loaded at the first call, or by a runner's `load`.
 * 3. After `close` no process, timer or socket of the server is left.
 */
import { waitAtMost } from '@holdfast/core/internal/plain';
import type { Runner } from '@holdfast/core';
import type { ClientRequestOptions, JsonObject, ServerHandshake } from '@holdfast/mcp-wire/client';
import type { AbortSource } from '../abort.ts';
import { lifespan } from '../lifespan.ts';
import type { LoadableRunner } from '../load.ts';
import { text } from '../options/fields.ts';
import { releaseGuard } from '../process/guard.ts';
import { runnerError } from '../runner-error.ts';
import { type McpServerEvent, serverEvents } from './events.ts';
import type { McpTool } from './list-tools.ts';
import type * as clientModule from './client.ts';
import { type McpServerOptions, mcpSettings } from './options.ts';
import { type McpServerStatus, Supervisor } from './supervisor.ts';
import { ResourceWatching } from './watch-resources.ts';

/** A supervised MCP server, created by `mcpServer`. */
export interface McpServer {
  /** Creates a runner of one tool. The server is closed when all its runners are closed. */
  readonly tool: (name: string) => LoadableRunner;
  /** Lists the tools of the server, all pages. Connects if necessary. */
  readonly listTools: () => Promise<readonly McpTool[]>;
  /** Connects now instead of at the first call. */
  readonly connect: () => Promise<void>;
  /** Returns the state of the connection. Does not connect. */
  readonly status: () => McpServerStatus;
  /** Resolves to the server's description of itself. Connects if necessary. */
  readonly handshake: () => Promise<ServerHandshake>;
  /**
   * Sends any request and resolves to its result, unchanged. It is sent again only if the server does not know the session.
   * Rejects as calls do, and with the server's `RpcError`.
   */
  readonly request: (method: string, params?: JsonObject, options?: ClientRequestOptions) => Promise<JsonObject>;
  /** Sends a notification over the current connection. Rejects with `MCP_SERVER_DOWN` if there is none. */
  readonly notify: (method: string, params?: JsonObject) => Promise<void>;
  /** Calls the listener for notifications that belong to no request, and for changes of the status. Returns a function that stops it. */
  readonly subscribe: (listener: (event: McpServerEvent) => void) => () => void;
  /** Subscribes to changes of a resource, again after a reconnect. Resolves to a function that unsubscribes. */
  readonly watchResource: (uri: string) => Promise<() => void>;
  /** Closes when no call is running, at the latest after the limit. */
  readonly retire: (limitMs: number) => Promise<void>;
  /**
   * Aborts the running calls and closes the connection. Ends the process group of a stdio server.
   *
   * @param graceMs How long the server may take to end, and again after SIGTERM, if that is shorter than its setting.
   */
  readonly close: (graceMs?: number) => Promise<void>;
}

/**
 * Creates a supervised MCP server. Calls reject with `MCP_TOOL_ERROR` (the tool failed; message and `mcpCode` are the tool's),
 * `MCP_SERVER_DOWN` (nothing was sent; `retryAfterMs`), `MCP_CALL_LOST` (the server was lost during the call: it may have taken effect),
 * `MCP_MESSAGE_TOO_LARGE`, or with the unchanged error of the protocol or the network.
 * @throws TypeError for an invalid option
 */
export function mcpServer(options: McpServerOptions): McpServer {
  const settings = mcpSettings(options);
  const events = serverEvents();
  const watched = new ResourceWatching({ listen: settings.listen, limitMs: settings.startupTimeoutMs, onNotification: events.notified });
  const supervisor = new Supervisor(settings, { ...events, connected: (connection) => watched.onConnected(connection) });
  const life = lifespan(`MCP server ${settings.name}`);
  let client: typeof clientModule | undefined;
  let closed: Promise<void> | undefined;

  const loadClient = async (): Promise<typeof clientModule> => (client ??= await import('./client.ts'));
  const load = async (): Promise<void> => (await loadClient()).loadConnection(settings);
  const request: McpServer['request'] = (method, params, requestOptions = {}) =>
    life.during(requestOptions.signal ?? neverAborted, async (signal) => {
      const { request: send } = client ?? (await loadClient());
      return send(settings, supervisor, method, params, { ...requestOptions, signal });
    });
  const close = (graceMs?: number): Promise<void> => {
    watched.close();
    // A call that was aborted waits for the answer to a ping.
    closed ??= waitAtMost(globalThis, life.close(), graceMs ?? Infinity)
      .then(() => supervisor.close(graceMs))
      .then(releaseGuard);
    return closed;
  };
  const call =
    (name: string): Runner<unknown> =>
    (args, context) =>
      life.during(context.signal, async (signal) => {
        const { callTool } = client ?? (await loadClient());
        return callTool(settings, supervisor, name, args, context, signal);
      });
  return {
    tool: runnersOf(call, load, close),
    close,
    request,
    status: () => supervisor.status(),
    subscribe: events.subscribe,
    connect: async () => void (await supervisor.connection()),
    handshake: async () => (await supervisor.connection()).peer.handshake,
    watchResource: (uri) => watched.watchResource(uri, () => supervisor.connection()),
    async notify(method, params) {
      const live = supervisor.live();
      if (live === undefined) throw runnerError('MCP_SERVER_DOWN', `MCP server ${settings.name} is not connected`);
      await live.peer.notify(method, params);
    },
    async retire(limitMs) {
      await life.idle(limitMs);
      await close();
    },
    async listTools() {
      const { listTools } = await loadClient();
      return listTools((method, params) => request(method, params, { signal: AbortSignal.timeout(settings.startupTimeoutMs) }));
    },
  };
}

/** Creates the runners of a server, which is closed with the last of them. */
function runnersOf(call: (name: string) => Runner<unknown>, load: () => Promise<void>, close: () => Promise<void>): McpServer['tool'] {
  const open = new Set<Runner<unknown>>();
  return (name) => {
    text('tool: name', name);
    const closeRunner = async (): Promise<void> => {
      open.delete(runner);
      if (open.size === 0) await close();
    };
    const runner: LoadableRunner = Object.assign(call(name), { kind: 'mcp' as const, close: closeRunner, load });
    open.add(runner);
    return runner;
  };
}

/** For requests without a signal. */
const neverAborted: AbortSource = { aborted: false, reason: undefined, addEventListener() {}, removeEventListener() {} };
