/**
 * Owns the meaning of a tool result: an output, or the error the tool tells.
 */
import type { JsonObject } from '@holdfast/mcp-wire/client';
import { isRecord } from '../options/fields.ts';
import { runnerError } from '../runner-error.ts';

/**
 * Structured content where there is some; else the joined text, parsed where it is a JSON object or array; else the content array.
 * Throws `MCP_TOOL_ERROR` for a result with `isError`, and `INVALID_RESPONSE` for one that asks for input.
 */
export function outputOf(result: JsonObject): unknown {
  const { structuredContent, resultType } = result;
  if (resultType === 'input_required') throw runnerError('INVALID_RESPONSE', 'The tool asks for input, which nobody here can give');
  const content: readonly unknown[] = Array.isArray(result['content']) ? result['content'] : [];
  const texts = content.flatMap((part) => (isRecord(part) && part['type'] === 'text' ? [String(part['text'])] : []));
  const joined = texts.join('\n');
  if (result['isError'] === true) throw toolError(joined, content, structuredContent);
  if (structuredContent !== undefined) return structuredContent;
  return texts.length === content.length ? parsedStructure(joined) : content;
}

function toolError(joined: string, content: readonly unknown[], structuredContent: unknown): Error {
  const mcpCode = /^MCP error (-?\d+)/.exec(joined)?.[1];
  return runnerError('MCP_TOOL_ERROR', joined === '' ? 'The tool failed without an error message' : joined, {
    mcpCode: mcpCode === undefined ? undefined : Number(mcpCode),
    structuredContent,
    content,
  });
}

function parsedStructure(source: string): unknown {
  if (!/^\s*[[{]/.test(source)) return source;
  try {
    return JSON.parse(source) as unknown;
  } catch {
    return source;
  }
}
