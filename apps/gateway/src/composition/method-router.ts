/**
 * Owns which part of the gateway handles which MCP method.
 *
 * Invariant: only the handler is chosen here; the content of answers is decided by the handlers.
 */
import type { ConnectedClient, ClientRequest, JsonObject, ServerHandler } from '@holdfast/mcp-wire/server';
import { pageOf } from '../relay/pages.ts';
import type { Relay } from '../relay/relay.ts';

/** The part of the catalog that the router reads. */
interface ToolList {
  /** Resolves when the list is complete, or the time limit is over. */
  ready(): Promise<void>;
  list(): readonly OfferedTool[];
  get(name: string): OfferedTool | undefined;
}

interface OfferedTool {
  readonly definition: JsonObject;
  readonly source: { readonly kind: string; readonly server?: string };
}

/** The part of the calls that the router uses. */
interface ToolCalls {
  handle(request: ClientRequest): Promise<JsonObject>;
}

export interface MethodRouterOptions {
  readonly catalog: ToolList;
  readonly calls: ToolCalls;
  readonly relay: Relay;
}

/** Tools per page; so many that hosts without pagination usually see all of them. */
const toolsPerPage = 1_000;

export function createMethodRouter({ catalog, calls, relay }: MethodRouterOptions): ServerHandler {
  const call = (request: ClientRequest): Promise<JsonObject> => {
    if (request.logLevel === undefined) return calls.handle(request);
    const server = catalog.get(String(request.params['name']))?.source.server;
    return relay.duringCall(server, request, () => calls.handle(request));
  };
  return {
    describe: relay.describe,
    handle(request) {
      relay.seen(request.client);
      if (request.method === 'tools/call') return call(request);
      return request.method === 'tools/list' ? listTools(catalog, request.params['cursor']) : relay.handle(request);
    },
    notified: relay.notified,
    watchResource: relay.watchResource,
    inputSchema: (tool: string, _client: ConnectedClient) => catalog.get(tool)?.definition['inputSchema'] as JsonObject | undefined,
    logLevelChanged: relay.logLevelChanged,
    clientGone: relay.clientGone,
  };
}

async function listTools(catalog: ToolList, cursor: unknown): Promise<JsonObject> {
  await catalog.ready();
  const { part, nextCursor } = pageOf(catalog.list(), cursor, toolsPerPage);
  return {
    tools: part.map(({ definition }) => definition),
    ...(nextCursor === undefined ? {} : { nextCursor }),
    ttlMs: 0,
    cacheScope: 'private',
  };
}
