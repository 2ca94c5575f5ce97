/** Owns the way from a server's answer to what a service understands, and from Holdfast's answer back to a `CallToolResult`. */
import { isUnaltered } from '@holdfast/adapter-kit';
import type { ToolAnswer } from '@holdfast/core/agent';

/** The fields of a tool's result that are read; everything else stays as the server sent it. */
interface ServerResult {
  readonly content?: readonly { readonly type: string; readonly text?: unknown }[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
}

/** What servers sent, by the error that was made of it. */
const serverResults = new WeakMap<object, ServerResult>();

/** The result, or the error that it tells. */
export function throwIfError(result: unknown): unknown {
  const { isError, content = [] } = Object(result) as ServerResult;
  if (isError !== true) return result;
  const text = content.flatMap((part) => (part.type === 'text' ? [String(part.text)] : [])).join('\n');
  const error = Object.assign(new Error(text === '' ? 'The tool failed without saying why' : text), { code: 'MCP_TOOL_ERROR' });
  serverResults.set(error, result as ServerResult);
  throw error;
}

/** The host is to do something, such as sending the user to a page, and to call again: nothing has failed. */
export function isForTheHost(error: unknown): boolean {
  return Object(error) === error && (error as { readonly code?: unknown }).code === -32_042;
}

/** The server's result as it came; or one that tells the model what was wrong, with everything but words kept that the server sent. */
export function resultOf({ result, text, isError }: ToolAnswer): unknown {
  const { output } = result;
  if (isUnaltered(result) && typeof output === 'object' && output !== null) return output;
  const said = { content: [{ type: 'text', text }] };
  if (!isError) return said;
  const { content = [], structuredContent } = serverResults.get(Object(result.error?.cause) as object) ?? {};
  return {
    content: [...said.content, ...content.filter(({ type }) => type !== 'text')],
    ...(structuredContent === undefined ? {} : { structuredContent }),
    isError: true,
  };
}
