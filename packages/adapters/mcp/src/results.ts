/** Owns converting a server's result for the service, and Holdfast's answer back to a `CallToolResult`. */
import { isUnaltered } from '@holdfast/adapter-kit';
import type { ToolAnswer } from '@holdfast/core/agent';

/** The fields used of a tool's result; all others are kept. */
interface ServerResult {
  readonly content?: readonly { readonly type: string; readonly text?: unknown }[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
}

/** Server results, by the errors created from them. */
const serverResults = new WeakMap<object, ServerResult>();

/** Returns a successful result; throws an error for a failed one. */
export function throwIfError(result: unknown): unknown {
  const { isError, content = [] } = Object(result) as ServerResult;
  if (isError !== true) return result;
  const text = content.flatMap((part) => (part.type === 'text' ? [String(part.text)] : [])).join('\n');
  const error = Object.assign(new Error(text === '' ? 'The tool failed without an error message' : text), { code: 'MCP_TOOL_ERROR' });
  serverResults.set(error, result as ServerResult);
  throw error;
}

/** Whether the host has to act and call again, such as by opening a URL; this is not a failure. */
export function isHostError(error: unknown): boolean {
  return Object(error) === error && (error as { readonly code?: unknown }).code === -32_042;
}

/** Returns the server's result unchanged, or one with the text for the model and the server's non-text content. */
export function resultOf({ result, text, isError }: ToolAnswer): unknown {
  const { output } = result;
  if (isUnaltered(result) && typeof output === 'object' && output !== null) return output;
  const withText = { content: [{ type: 'text', text }] };
  if (!isError) return withText;
  const { content = [], structuredContent } = serverResults.get(Object(result.error?.cause) as object) ?? {};
  return {
    content: [...withText.content, ...content.filter(({ type }) => type !== 'text')],
    ...(structuredContent === undefined ? {} : { structuredContent }),
    isError: true,
  };
}
