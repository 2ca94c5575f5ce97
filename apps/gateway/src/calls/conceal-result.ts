/** Owns which texts of a result for an MCP client are concealed: what the gateway says about it, and the texts of an error. Outputs stay as they are. */
import { isJsonObject, type JsonObject } from '@holdfast/mcp-wire/server';
import type { Conceal } from '../access/conceal-alternatives.ts';
import { callKey, errorKey } from './failure-meta.ts';

export function concealResult(result: JsonObject, conceal: Conceal): JsonObject {
  const { _meta: meta, content } = result;
  if (!isJsonObject(meta) || (meta[callKey] === undefined && meta[errorKey] === undefined)) return result;
  const said = Object.fromEntries(
    [callKey, errorKey].flatMap((key) => (isJsonObject(meta[key]) ? [[key, concealed(meta[key], conceal)]] : [])),
  );
  const isError = result['isError'] === true && Array.isArray(content);
  return {
    ...result,
    _meta: { ...meta, ...said },
    ...(isError ? { content: content.map((part: unknown) => (isJsonObject(part) ? concealed(part, conceal, 'text') : part)) } : {}),
  };
}

function concealed(fields: JsonObject, conceal: Conceal, only?: string): JsonObject {
  const entries = Object.entries(fields).map(([key, value]) => [
    key,
    typeof value === 'string' && (only === undefined || key === only) ? conceal(value) : value,
  ]);
  return Object.fromEntries(entries) as JsonObject;
}
