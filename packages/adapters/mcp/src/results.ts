/** Owns the way from a server's answer to what a service understands, and from Holdfast's answer back to a `CallToolResult`. */
import type { ToolAnswer } from '@holdfast/core/agent';

/** The fields of a tool's result that are read; everything else stays as the server sent it. */
interface ServerResult {
  readonly content?: readonly { readonly type: string; readonly text?: unknown }[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
}

/** What a server says that a tool has failed with. */
class McpToolError extends Error {
  override readonly name = 'McpToolError';
  readonly code = 'MCP_TOOL_ERROR';
  readonly result: ServerResult;

  constructor(message: string, result: ServerResult) {
    super(message);
    this.result = result;
  }
}

/** The result, or the error that it tells. */
export function checked(result: unknown): unknown {
  const { isError, content = [] } = Object(result) as ServerResult;
  if (isError !== true) return result;
  const text = content.flatMap((part) => (part.type === 'text' ? [String(part.text)] : [])).join('\n');
  throw new McpToolError(text === '' ? 'The tool failed without saying why' : text, result as ServerResult);
}

/** The host is to do something, such as sending the user to a page, and to call again: nothing has failed. */
export function isForTheHost(error: unknown): boolean {
  return Object(error) === error && (error as { readonly code?: unknown }).code === -32_042;
}

/** The server's result as it came; or one that tells the model what was wrong, with everything but words kept that the server sent. */
export function resultOf({ result, text, isError }: ToolAnswer): unknown {
  const { output } = result;
  if (result.status === 'success' && typeof output === 'object' && output !== null && !result.altered && !result.partial) return output;
  const said = { content: [{ type: 'text', text }] };
  if (!isError) return said;
  const { content = [], structuredContent } = sentWith(result.error?.cause);
  return {
    content: [...said.content, ...content.filter(({ type }) => type !== 'text')],
    ...(structuredContent === undefined ? {} : { structuredContent }),
    isError: true,
  };
}

function sentWith(cause: unknown): ServerResult {
  return cause instanceof McpToolError ? cause.result : {};
}
