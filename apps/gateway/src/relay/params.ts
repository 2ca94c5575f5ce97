/**
 * Owns which params are forwarded, from a client to a server or back.
 */
import { isJsonObject, type JsonObject } from '@holdfast/mcp-wire/server';

/** Keys of `_meta` that belong to a single connection. */
const ownKey = /^(?:progressToken$|io\.modelcontextprotocol\/)/;

/** Returns the params with replacements, and without the keys of `_meta` that belong to this connection. */
export function forwardedParams(params: JsonObject, replacements: JsonObject = {}): JsonObject {
  const { _meta: meta, ...rest } = params;
  if (!isJsonObject(meta)) return { ...rest, ...replacements };
  const kept = Object.entries(meta).filter(([key]) => !ownKey.test(key));
  return { ...rest, ...replacements, ...(kept.length === 0 ? {} : { _meta: Object.fromEntries(kept) }) };
}
