/**
 * Owns which part of the gateway handles which MCP method.
 *
 * Invariant: only the handler is chosen here; the content of answers is decided by the handlers.
 */
import type { ConnectedClient, ClientRequest, JsonObject, ServerHandler } from '@holdfast/mcp-wire/server';
import { type Access, accessOf } from '../access/access.ts';
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
}

/** Tools per page; so many that hosts without pagination usually see all of them. */
const toolsPerPage = 1_000;

export function createMethodRouter({ catalog, calls, relay }: MethodRouterOptions): ServerHandler {
  const call = (request: ClientRequest): Promise<JsonObject> => {
    const isApart = accessOf(request.client).owner !== undefined;
    if (request.logLevel === undefined && !isApart) return calls.handle(request);
    const server = catalog.get(String(request.params['name']))?.source.server;
    return relay.duringCall(server, request, () => (isApart ? callAndNote(request) : calls.handle(request)));
  };
  const callAndNote = async (request: ClientRequest): Promise<JsonObject> => {
    const result = await calls.handle(request);
    relay.noteTask(request, result);
    return result;
  };
  const toolsOf = createToolsOf(catalog);
  return {
    describe: relay.describe,
    handle(request) {
      relay.seen(request.client);
      if (request.method === 'tools/call') return call(request);
      return request.method === 'tools/list' ? listTools(catalog, toolsOf, request) : relay.handle(request);
    },
    notified: relay.notified,
    watchResource: relay.watchResource,
    inputSchema: (tool: string, client: ConnectedClient) =>
      accessOf(client).allows(tool) ? (catalog.get(tool)?.definition['inputSchema'] as JsonObject | undefined) : undefined,
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

async function listTools(catalog: ToolList, toolsOf: ToolsOf, { params, client }: ClientRequest): Promise<JsonObject> {
  const access = accessOf(client);
  await catalog.ready();
  const { part, nextCursor } = pageOf(toolsOf(access), params['cursor'], toolsPerPage);
  return {
    tools: part.map(({ definition }) => definition),
    ...(nextCursor === undefined ? {} : { nextCursor }),
    ttlMs: 0,
    cacheScope: 'private',
  };
}
