/** Owns reading what a `tools/call` requests, and the answer to one whose tool was not found. */
import { isJsonObject, type JsonObject, rpcCodes, rpcError } from '@holdfast/mcp-wire/server';
import type { Catalog } from '../catalog/catalog.ts';
import {
  type Allows,
  findMissing,
  type MissingTool,
  missingText,
  shortName,
  type ToolDirectory,
  unknownTool,
} from '../catalog/find-tool.ts';
import type { CatalogEntry } from '../catalog/entry.ts';
import { isLoginCode } from '../server-auth/auth-error.ts';
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

/** @throws RpcError for an unknown tool */
export async function findCalled(name: string, catalog: KnownTools, allows: Allows): Promise<CatalogEntry | MissingTool> {
  const missing = await findMissing(name, directoryOf(catalog), allows);
  const entry = missing === undefined ? catalog.get(name) : undefined;
  if (entry !== undefined) return entry;
  if (missing === undefined || missing.code === 'UNKNOWN_TOOL') throw unknownCall(name, catalog, allows, missing);
  return missing;
}

export function unknownCall(name: string, catalog: KnownTools, allows: Allows, missing?: MissingTool): Error {
  return rpcError(rpcCodes.invalidParams, missingText(missing ?? unknownTool(name, directoryOf(catalog), allows)));
}

/** The result of a call whose server has never listed its tools. */
export function neverListed(code: string, message: string): JsonObject {
  return isLoginCode(code) ? refusal(code, 'auth', 'permanent', message) : refusal(code, 'unavailable', 'transient', message);
}

const directoryOf = (catalog: KnownTools): ToolDirectory => ({
  has: (name) => catalog.get(name) !== undefined,
  names: () => catalog.list().map((entry) => entry.name),
  coming: catalog,
});
