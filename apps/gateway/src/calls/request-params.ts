/** Owns which parts of a client's request are sent to a server. */
import { isJsonObject, type JsonObject } from '@holdfast/mcp-wire/server';
import { outgoingHeaders } from '@holdfast/runners';
import type { UpstreamTool } from '../catalog/upstream-tool.ts';

/** Fields that only concern client and gateway; the connection to the server has its own. */
const ownKeys = [
  'progressToken',
  'io.modelcontextprotocol/protocolVersion',
  'io.modelcontextprotocol/clientInfo',
  'io.modelcontextprotocol/clientCapabilities',
  'io.modelcontextprotocol/logLevel',
  'io.modelcontextprotocol/subscriptionId',
] as const;

const idempotencyKeyName = 'holdfast/idempotency-key';

/** Keeps unknown fields; of a round of questions, adds only the fields for this server (`input`). */
export function upstreamParams(
  params: JsonObject | undefined,
  { tool }: UpstreamTool,
  args: unknown,
  idempotencyKey: string,
  input: JsonObject | undefined,
): JsonObject {
  if (params === undefined) return { name: tool, arguments: args, _meta: upstreamMeta(undefined, idempotencyKey) };
  const { inputResponses: _inputResponses, requestState: _requestState, ...rest } = params;
  return { ...rest, ...input, name: tool, arguments: args, _meta: upstreamMeta(params['_meta'], idempotencyKey) };
}

function upstreamMeta(meta: unknown, idempotencyKey: string): JsonObject {
  // In place of the client's own: the request belongs to the attempt, which belongs to the client's span.
  const kept: Record<string, unknown> = { ...(isJsonObject(meta) ? meta : {}), ...outgoingHeaders(), [idempotencyKeyName]: idempotencyKey };
  for (const key of ownKeys) delete kept[key];
  return kept;
}
