/** Owns which tool a request calls, and with which arguments. */
import { suggest, truncate } from '@holdfast/core/internal/plain';
import { isJsonObject, type JsonObject, rpcCodes, rpcError, type RpcError } from '@holdfast/mcp-wire/server';
import type { Catalog } from '../catalog/catalog.ts';
import type { CatalogEntry } from '../catalog/entry.ts';
import { isLoginCode, type NeededLogin } from '../server-auth/auth-error.ts';
import { refusal } from './refusal.ts';

/** The part of the catalog that calls use. */
export type KnownTools = Pick<Catalog, 'get' | 'list' | 'withheld' | 'unlisted' | 'refresh' | 'ready' | 'subscribe'>;

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
    // The login may exist by now.
    else if (unlisted && isLoginCode(unlisted.code)) await Promise.race([catalog.refresh(unlisted.server), arrived]);
  } finally {
    unsubscribe();
  }
  const entry = catalog.get(name);
  if (entry !== undefined) return entry;
  const { reason, code, login } = catalog.unlisted(name) ?? {};
  throw reason === undefined
    ? unknownTool(name, catalog, allows)
    : new NeverListed(reason, isLoginCode(code) ? code : 'MCP_SERVER_DOWN', login);
}

/** A tool was not found because its server has never listed its tools. */
export class NeverListed extends Error {
  readonly code: string;
  /** The login that is missing, if it is one. */
  readonly login: NeededLogin | undefined;

  constructor(message: string, code: string, login?: NeededLogin) {
    super(message);
    this.code = code;
    this.login = login;
  }

  /** As a result of the call. */
  result(message: string): JsonObject {
    return isLoginCode(this.code)
      ? refusal(this.code, 'auth', 'permanent', message)
      : refusal(this.code, 'unavailable', 'transient', message);
  }
}

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
