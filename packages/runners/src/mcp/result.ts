/**
 * Owns reading a tool result: an output, or the error of the tool.
 */
import type { JsonObject } from '@holdfast/mcp-wire/client';
import { isRecord, parseStructure } from '@holdfast/core/internal/plain';
import { runnerError } from '../runner-error.ts';

/**
 * Structured content if there is any; otherwise the joined text, parsed if it is a JSON object or array; otherwise the content array.
 * Throws `MCP_TOOL_ERROR` for a result with `isError`, and `INVALID_RESPONSE` for one that asks for input.
 */
export function outputOf(result: JsonObject): unknown {
  const { structuredContent, resultType } = result;
  if (resultType === 'input_required') throw runnerError('INVALID_RESPONSE', 'The tool asks for input, which is not supported here');
  const content: readonly unknown[] = Array.isArray(result['content']) ? result['content'] : [];
  const texts = content.flatMap((part) => (isRecord(part) && part['type'] === 'text' ? [String(part['text'])] : []));
  const joined = texts.join('\n');
  if (result['isError'] === true) throw toolError(joined, content, structuredContent);
  if (structuredContent !== undefined) return structuredContent;
  return texts.length === content.length ? parseStructure(joined) : content;
}

function toolError(joined: string, content: readonly unknown[], structuredContent: unknown): Error {
  const mcpCode = /^MCP error (-?\d+)/.exec(joined)?.[1];
  return runnerError('MCP_TOOL_ERROR', joined === '' ? 'The tool failed without an error message' : joined, {
    mcpCode: mcpCode === undefined ? undefined : Number(mcpCode),
    structuredContent,
    content,
  });
}
