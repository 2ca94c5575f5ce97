/**
 * Owns `resources/read`: from the server that has the resource, or from spilled results.
 */
import { type ClientRequest, type ConnectedClient, isRpcError, type JsonObject, rpcCodes, rpcError } from '@holdfast/mcp-wire/server';
import { spillPrefix } from '../calls/calls.ts';
import type { Upstream } from '../upstreams/upstream.ts';
import type { Forward } from './forward.ts';
import { isInputRequired } from './ask-legacy-client.ts';
import type { ResourceOwners } from './resource-owners.ts';
import { forwardedParams } from './params.ts';
import type { MayBeUsed } from './merged-lists.ts';
import type { ServerLists } from './server-lists.ts';
import { cacheHint, privateHint } from './read-list.ts';

export interface ResourcesOptions {
  readonly forward: Forward;
  readonly owners: ResourceOwners;
  readonly readSpilled: ((uri: string, client: ConnectedClient) => Promise<JsonObject | undefined>) | undefined;
  readonly mayBeUsed: (client: ConnectedClient) => MayBeUsed;
  readonly withheldReason: ServerLists['withheldReason'];
  /** Whether clients can have different resources. */
  readonly keepsApart: () => boolean;
  /** Time limit per server if several are tried. */
  readonly probeMs: number;
}

export type ReadResource = (request: ClientRequest) => Promise<JsonObject>;

export function createReadResource({
  forward,
  owners,
  readSpilled,
  mayBeUsed,
  withheldReason,
  keepsApart,
  probeMs,
}: ResourcesOptions): ReadResource {
  const readAtServers = async (request: ClientRequest, uri: string): Promise<JsonObject> => {
    const isUsable = mayBeUsed(request.client) ?? (() => true);
    const usable = (await owners.of(uri)).filter(isUsable);
    const reasons = usable.map((upstream) => withheldReason(upstream, 'resources', uri));
    const candidates = usable.filter((_upstream, at) => reasons[at] === undefined);
    const [reason] = reasons;
    if (reason !== undefined && candidates.length === 0) throw rpcError(rpcCodes.resourceNotFound, reason, { uri });
    const params = forwardedParams(request.params);
    const failures: unknown[] = [];
    for (const upstream of candidates) {
      try {
        const result = await forward(request, upstream, params, { isRead: true, ...(candidates.length > 1 ? { limitMs: probeMs } : {}) });
        owners.remember(uri, upstream);
        if (isInputRequired(result)) return result;
        const isForAll = mayBeUsed(request.client) === undefined && !keepsApart();
        return { ...result, ...(isForAll ? cacheHint(result) : privateHint(cacheHint(result))) };
      } catch (error) {
        if (request.signal.aborted) throw error;
        failures.push(error);
      }
    }
    throw (
      failures.find((error) => !isRefusal(error)) ?? notConnected(uri, owners.silent().filter(isUsable)) ?? failures[0] ?? notFound(uri)
    );
  };

  return async (request) => {
    const { uri } = request.params;
    if (typeof uri !== 'string') throw rpcError(rpcCodes.invalidParams, 'resources/read requires a uri');
    try {
      if (readSpilled !== undefined && uri.startsWith(spillPrefix)) return spilledResult(uri, await readSpilled(uri, request.client));
      return await readAtServers(request, uri);
    } catch (error) {
      throw toEraError(request, error);
    }
  };
}

function spilledResult(uri: string, result: JsonObject | undefined): JsonObject {
  if (result === undefined) throw rpcError(rpcCodes.resourceNotFound, `Resource not found: ${uri} is unknown or no longer kept`, { uri });
  return { ...result, ...privateHint(cacheHint(result)) };
}

/** Returns an error if a server that is not connected may have the resource. */
function notConnected(uri: string, [silent]: readonly Upstream[]): unknown {
  if (silent === undefined) return undefined;
  const details = { server: silent.name, code: 'MCP_SERVER_DOWN', retryable: true };
  return rpcError(rpcCodes.internalError, `${uri} was not found, but MCP server ${silent.name} is not connected and may have it`, {
    'dev.holdfast/error': details,
  });
}

const notFound = (uri: string): unknown => rpcError(rpcCodes.resourceNotFound, `Resource not found: ${uri}`, { uri });

/** The server does not have the resource (codes of both eras), or has no resources at all. */
const isRefusal = (error: unknown): boolean =>
  isRpcError(error) &&
  (error.code === rpcCodes.resourceNotFound || error.code === rpcCodes.invalidParams || error.code === rpcCodes.methodNotFound);

/** The modern era has no separate code for a missing resource. */
function toEraError({ client }: ClientRequest, error: unknown): unknown {
  if (client.era !== 'modern' || !isRpcError(error) || error.code !== rpcCodes.resourceNotFound) return error;
  return rpcError(rpcCodes.invalidParams, error.message, error.data);
}
