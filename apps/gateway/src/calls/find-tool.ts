/** Owns which tool a request calls, and with which arguments. */
import { suggest, truncate } from '@holdfast/core/internal/plain';
import { isJsonObject, type JsonObject, rpcCodes, rpcError, type RpcError } from '@holdfast/mcp-wire/server';
import type { Catalog } from '../catalog/catalog.ts';
import type { CatalogEntry } from '../catalog/entry.ts';

/** The part of the catalog that calls use. */
export type KnownTools = Pick<Catalog, 'get' | 'list' | 'withheld' | 'unlisted' | 'ready' | 'subscribe'>;

/** @throws RpcError for invalid params */
export function readCall(params: JsonObject): { readonly name: string; readonly args: JsonObject } {
  const { name, arguments: args = {} } = params;
  if (typeof name !== 'string') throw rpcError(rpcCodes.invalidParams, "tools/call requires 'name', the name of a tool");
  if (!isJsonObject(args)) throw rpcError(rpcCodes.invalidParams, `'arguments' of ${shortName(name)} must be an object`);
  return { name, args };
}

/**
 * A tool is unknown once all servers have listed their tools; one whose name belongs to a server that is still starting waits for that server.
 * A tool that is listed earlier does not wait for the other servers.
 */
export async function waitForTool(name: string, catalog: KnownTools, allows: Allows): Promise<CatalogEntry> {
  let unsubscribe = (): void => {};
  const arrived = new Promise<void>((resolve) => {
    unsubscribe = catalog.subscribe(() => {
      if (catalog.get(name)) resolve();
    });
  });
  try {
    await Promise.race([catalog.ready(), arrived]);
    const unlisted = catalog.unlisted(name);
    if (unlisted && unlisted.reason === undefined) await Promise.race([unlisted.asked, arrived]);
  } finally {
    unsubscribe();
  }
  const entry = catalog.get(name);
  if (entry !== undefined) return entry;
  const reason = catalog.unlisted(name)?.reason;
  throw reason === undefined ? unknownTool(name, catalog, allows) : Object.assign(new Error(reason), { code: neverUp });
}

const neverUp = 'MCP_SERVER_DOWN';

/** Whether a tool was not found because its server has never come up. */
export const isNeverUp = (error: unknown): error is Error => (error as { readonly code?: unknown } | undefined)?.code === neverUp;

/** Which tools exist for a client. */
type Allows = (tool: string) => boolean;

export function unknownTool(name: string, catalog: KnownTools, allows: Allows): RpcError {
  const withheld = allows(name) ? catalog.withheld(name) : undefined;
  if (withheld !== undefined) return rpcError(rpcCodes.invalidParams, withheld);
  const nearest = suggest(
    name,
    catalog
      .list()
      .map((entry) => entry.name)
      .filter(allows),
  );
  return rpcError(rpcCodes.invalidParams, `Unknown tool: ${shortName(name)}${nearest === undefined ? '' : `. Did you mean '${nearest}'?`}`);
}

/** Names may have any length. */
const shortName = (name: string): string => truncate(name, 100);
