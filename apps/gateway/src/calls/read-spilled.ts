/** Owns reading spilled results, completely or in parts. */
import type { Redactor } from '@holdfast/core';
import { type JsonObject, rpcCodes, rpcError } from '@holdfast/mcp-wire/server';
import { spillPrefix } from './calls.ts';
import type { Kept, SpillStore } from './spill-store.ts';

/** `?offset=…&limit=…` count characters of a string, bytes of anything else. */
export async function readSpilled(
  store: SpillStore,
  uri: string,
  owner: string | undefined,
  redact: Redactor,
): Promise<JsonObject | undefined> {
  if (!uri.startsWith(spillPrefix)) return undefined;
  const [id = '', query = ''] = uri.slice(spillPrefix.length).split('?', 2);
  const kept = await store.read(id);
  if (kept === undefined || kept.owner !== owner) return undefined;
  const parameters = new URLSearchParams(query);
  const offset = countOf(parameters, 'offset') ?? 0;
  const limit = countOf(parameters, 'limit') ?? Infinity;
  const { whole, part } = partOf(kept, offset, offset + limit, redact);
  const rest =
    offset + limit < whole
      ? { _meta: { 'dev.holdfast/next': `${spillPrefix}${id}?offset=${offset + limit}&limit=${limit}`, 'dev.holdfast/total': whole } }
      : {};
  return { contents: [{ uri, mimeType: kept.mimeType, ...part, ...rest }] };
}

function countOf(parameters: URLSearchParams, name: string): number | undefined {
  const text = parameters.get(name);
  if (text === null) return undefined;
  if (!/^\d{1,15}$/.test(text)) throw rpcError(rpcCodes.invalidParams, `'${name}' of a stored result must be an integer of 0 or more`);
  return Number(text);
}

function partOf(
  { content, isSecret }: Kept,
  start: number,
  end: number,
  redact: Redactor,
): { readonly whole: number; readonly part: JsonObject } {
  if (typeof content !== 'string') return { whole: content.byteLength, part: { blob: content.subarray(start, end).toString('base64') } };
  const text = isSecret ? redact(content) : content;
  return { whole: text.length, part: { text: text.slice(start, end) } };
}
