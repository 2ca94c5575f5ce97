/** Owns the output of a server's tool for calls that do not come from an MCP client, such as those of a turn. */
import { parseStructure } from '@holdfast/core/internal/plain';
import { isJsonObject, type JsonObject } from '@holdfast/mcp-wire/server';

/** Returns the structured content if there is some, else the joined text (parsed if it is a JSON object or array), else the content. */
export function plainOutput(result: JsonObject): unknown {
  const { structuredContent, content } = result;
  if (structuredContent !== undefined) return structuredContent;
  if (!Array.isArray(content)) return result;
  const texts = (content as readonly unknown[]).flatMap((part) =>
    isJsonObject(part) && part['type'] === 'text' && typeof part['text'] === 'string' ? [part['text']] : [],
  );
  return texts.length === content.length ? parseStructure(texts.join('\n')) : content;
}
