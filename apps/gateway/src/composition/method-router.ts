/**
 * Owns which part of the gateway handles which MCP method.
 *
 * Invariant: only the handler is chosen here; the content of answers is decided by the handlers.
 */
import type { ConnectedClient, ClientRequest, JsonObject, ServerHandler } from '@holdfast/mcp-wire/server';
import type { GatewayEntry } from '@holdfast/manifest';
import { type Access, accessOf } from '../access/access.ts';
import { calledParams, findTools, type SearchableTool, searchDefinition, searchOffer } from '../catalog/tool-search.ts';
import { withParams } from '../calls/with-params.ts';
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
  readonly name: string;
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
  const toolsOf = createToolsOf(catalog);
  const offered = (access: Access): readonly SearchableTool[] =>
    searches() ? searchOffer(toolsOf(access), settings?.().pinnedTools ?? []) : toolsOf(access);
  const call = async (given: ClientRequest): Promise<JsonObject> => {
    const params = searches() ? calledParams(given.params) : given.params;
    const access = accessOf(given.client);
    if (params === undefined) {
      await catalog.ready();
      return findTools(toolsOf(access), given.params);
    }
    const request = relay.tasks.ofCall(params === given.params ? given : withParams(given, params));
    const isApart = access.owner !== undefined;
    if (request.logLevel === undefined && !isApart) return calls.handle(request);
    const server = catalog.get(String(request.params['name']))?.source.server;
    return relay.duringCall(server, request, () => (isApart ? callAndNote(request) : calls.handle(request)));
  };
  const callAndNote = async (request: ClientRequest): Promise<JsonObject> => {
    const result = await calls.handle(request);
    relay.tasks.note(request, result);
    return result;
  };
  return {
    describe: relay.describe,
    handle(request) {
      relay.seen(request.client);
      if (request.method === 'tools/call') return call(request);
      return request.method === 'tools/list' ? listTools(catalog, offered, request) : relay.handle(request);
    },
    notified: relay.notified,
    watchResource: relay.watchResource,
    inputSchema(tool: string, client: ConnectedClient) {
      const definition =
        (searches() ? searchDefinition(tool) : undefined) ?? (accessOf(client).allows(tool) ? catalog.get(tool)?.definition : undefined);
      return definition?.['inputSchema'] as JsonObject | undefined;
    },
    logLevelChanged: relay.logLevelChanged,
    clientResumed: relay.clientResumed,
    clientGone: relay.clientGone,
  };
}

type ToolsOf = (access: Access) => readonly OfferedTool[];

/** The tools that exist for a client; computed once for a list. */
function createToolsOf(catalog: ToolList): ToolsOf {
  const known = new WeakMap<Access, { readonly all: readonly OfferedTool[]; readonly tools: readonly OfferedTool[] }>();
  return (access) => {
    const all = catalog.list();
    if (access.allowsAll) return all;
    let entry = known.get(access);
    if (entry?.all !== all) {
      entry = { all, tools: all.filter(({ name }) => access.allows(name)) };
      known.set(access, entry);
    }
    return entry.tools;
  };
}

const definitions = new WeakMap<readonly SearchableTool[], readonly JsonObject[]>();

/** Computed once for a list. */
function definitionsOf(tools: readonly SearchableTool[]): readonly JsonObject[] {
  let known = definitions.get(tools);
  if (!known) definitions.set(tools, (known = tools.map(({ definition }) => definition)));
  return known;
}

async function listTools(
  catalog: ToolList,
  offered: (access: Access) => readonly SearchableTool[],
  { params, client }: ClientRequest,
): Promise<JsonObject> {
  const access = accessOf(client);
  await catalog.ready();
  const { part, nextCursor } = pageOf(definitionsOf(offered(access)), params['cursor'], toolsPerPage);
  return {
    tools: part,
    ...(nextCursor === undefined ? {} : { nextCursor }),
    ttlMs: 0,
    cacheScope: 'private',
  };
}
