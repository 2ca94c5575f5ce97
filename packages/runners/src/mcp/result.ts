/**
 * Owns the meaning of a tool result: an output, or the error the tool tells.
 */
import type { CallToolResult } from '@modelcontextprotocol/client';
import { runnerError } from '../runner-error.ts';

/**
 * Structured content where there is some; else the joined text, parsed where it is a JSON object or array; else the content array.
 * Throws `MCP_TOOL_ERROR` for a result with `isError`.
 */
export function outputOf(result: CallToolResult): unknown {
  const { content, structuredContent } = result;
  const texts = content.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  const joined = texts.join('\n');
  if (result.isError === true) throw toolError(joined, result);
  if (structuredContent !== undefined) return structuredContent;
  return texts.length === content.length ? parsedStructure(joined) : content;
}

function toolError(joined: string, { content, structuredContent }: CallToolResult): Error {
  const mcpCode = /^MCP error (-?\d+)/.exec(joined)?.[1];
  return runnerError('MCP_TOOL_ERROR', joined === '' ? 'The tool failed without saying why' : joined, {
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
