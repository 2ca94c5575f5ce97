/**
 * Owns which part of the gateway handles which MCP method.
 *
 * Invariant: only the handler is chosen here; the content of answers is decided by the handlers.
 */
import type { ConnectedClient, ClientRequest, JsonObject, ServerHandler } from '@holdfast/mcp-wire/server';
import type { GatewayEntry } from '@holdfast/manifest';
import { calledParams, findTools, type SearchableTool, searchDefinition, searchOffer } from '../catalog/tool-search.ts';
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
  /** Read at each use. @default all tools are offered */
  readonly settings?: () => Pick<GatewayEntry, 'tools' | 'pinnedTools'>;
}

/** Tools per page; so many that hosts without pagination usually see all of them. */
const toolsPerPage = 1_000;

export function createMethodRouter({ catalog, calls, relay, settings }: MethodRouterOptions): ServerHandler {
  const searches = (): boolean => settings?.().tools === 'search';
  const offered = (): readonly SearchableTool[] =>
    searches() ? searchOffer(catalog.list(), settings?.().pinnedTools ?? []) : catalog.list();
  const call = async (given: ClientRequest): Promise<JsonObject> => {
    const params = searches() ? calledParams(given.params) : given.params;
    if (params === undefined) {
      await catalog.ready();
      return findTools(catalog.list(), given.params);
    }
    const request = params === given.params ? given : withParams(given, params);
    if (request.logLevel === undefined) return calls.handle(request);
    const server = catalog.get(String(request.params['name']))?.source.server;
    return relay.duringCall(server, request, () => calls.handle(request));
  };
  return {
    describe: relay.describe,
    handle(request) {
      relay.seen(request.client);
      if (request.method === 'tools/call') return call(request);
      return request.method === 'tools/list' ? listTools(catalog, offered, request.params['cursor']) : relay.handle(request);
    },
    notified: relay.notified,
    watchResource: relay.watchResource,
    inputSchema: (tool: string, _client: ConnectedClient) =>
      ((searches() ? searchDefinition(tool) : undefined) ?? catalog.get(tool)?.definition)?.['inputSchema'] as JsonObject | undefined,
    logLevelChanged: relay.logLevelChanged,
    clientGone: relay.clientGone,
  };
}

/** Its methods belong to the given request. */
const withParams = (given: ClientRequest, params: JsonObject): ClientRequest => ({
  id: given.id,
  method: given.method,
  params,
  client: given.client,
  signal: given.signal,
  logLevel: given.logLevel,
  wantsProgress: given.wantsProgress,
  reportProgress: (progress) => given.reportProgress(progress),
  notify: (method, notified) => given.notify(method, notified),
  ask: (method, asked, signal) => given.ask(method, asked, signal),
});

async function listTools(catalog: ToolList, offered: () => readonly SearchableTool[], cursor: unknown): Promise<JsonObject> {
  await catalog.ready();
  const { part, nextCursor } = pageOf(offered(), cursor, toolsPerPage);
  return {
    tools: part.map(({ definition }) => definition),
    ...(nextCursor === undefined ? {} : { nextCursor }),
    ttlMs: 0,
    cacheScope: 'private',
  };
}
