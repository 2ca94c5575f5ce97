/**
 * Owns the rules for tools of the modern era over HTTP: arguments that are also headers, and tools with invalid declarations of such headers.
 *
 * Invariants
 * 1. A tool with an invalid declaration is left out of `tools/list`; the rest of the list is unchanged.
 * 2. A call is sent a second time only if the server has refused its headers, and so has not run it.
 */
import { type JsonObject, isJsonObject, isRpcError, rpcCodes } from '../message.ts';
import type { McpConnection } from './connection.ts';
import { pagesOf } from './pages.ts';
import type { Peer } from './peer.ts';
import { type HeaderDeclaration, headerDeclarations, toolHeaders } from './tool-headers.ts';

export function toolRequests(peer: Peer): McpConnection['request'] {
  const known = new Map<string, readonly HeaderDeclaration[]>();

  const list = async (params?: JsonObject, options?: Parameters<McpConnection['request']>[2]): Promise<JsonObject> => {
    const result = await peer.request('tools/list', params, options);
    const { tools } = result;
    if (!Array.isArray(tools)) return result;
    const fit = tools.filter((tool: unknown) => {
      if (!isJsonObject(tool)) return true;
      const declared = headerDeclarations(tool['inputSchema']);
      if (typeof declared === 'string') return false;
      known.set(String(tool['name']), declared);
      return true;
    });
    return fit.length === tools.length ? result : { ...result, tools: fit };
  };

  const listAll = async (signal: AbortSignal | undefined): Promise<void> => {
    const pages = pagesOf((_method, params) => list(params, { signal }), 'tools/list');
    // `list` remembers the tools.
    while ((await pages.next()).done !== true);
  };

  const call: McpConnection['request'] = async (method, params, options) => {
    const name = String(params?.['name']);
    const declaredOf = (): readonly HeaderDeclaration[] => {
      const declared = options?.inputSchema === undefined ? known.get(name) : headerDeclarations(options.inputSchema);
      return declared === undefined || typeof declared === 'string' ? [] : declared;
    };
    const send = (declared: readonly HeaderDeclaration[]): Promise<JsonObject> =>
      peer.request(method, params, options, toolHeaders(declared, params?.['arguments']));
    try {
      return await send(declaredOf());
    } catch (error) {
      if (!isRpcError(error) || error.code !== rpcCodes.headerMismatch) throw error;
      await listAll(options?.signal);
      return send(known.get(name) ?? []);
    }
  };

  return (method, params, options) => {
    if (method === 'tools/call') return call(method, params, options);
    return method === 'tools/list' ? list(params, options) : peer.request(method, params, options);
  };
}
