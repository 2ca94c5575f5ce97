/**
 * Owns which params go to the next hop, from a client to a server or back.
 */
import { isJsonObject, type JsonObject } from '@holdfast/mcp-wire/server';

/** Of the protocol between the client and this gateway: the connection to the server has its own. */
const ownKey = /^(?:progressToken$|io\.modelcontextprotocol\/)/;

/** The params with what concerns only this hop taken off their `_meta`, and the replacements put in. */
export function onward(params: JsonObject, replacements: JsonObject = {}): JsonObject {
  const { _meta: meta, ...rest } = params;
  if (!isJsonObject(meta)) return { ...rest, ...replacements };
  const kept = Object.entries(meta).filter(([key]) => !ownKey.test(key));
  return { ...rest, ...replacements, ...(kept.length === 0 ? {} : { _meta: Object.fromEntries(kept) }) };
}
