/** Owns converting a tool's result for the service, and Holdfast's answer back to a `CallToolResult`. */
import { isUnaltered } from '@holdfast/adapter-kit';
import type { ToolAnswer } from '@holdfast/core/agent';

/** The fields used of a tool's result; all others are kept. */
interface CallResult {
  readonly content?: readonly { readonly type: string; readonly text?: unknown }[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
  readonly _meta?: unknown;
}

/** Results of tools, by the errors created from them. */
const results = new WeakMap<object, CallResult>();

const isCallResult = (output: unknown): output is CallResult =>
  typeof output === 'object' && output !== null && Array.isArray((output as CallResult).content);

/** Returns a successful output; throws an error for a result that says that it is one. */
export function throwIfError(output: unknown): unknown {
  if (!isCallResult(output) || output.isError !== true) return output;
  const text = (output.content ?? []).flatMap((part) => (part?.type === 'text' ? [String(part.text)] : [])).join('\n');
  const error = new Error(text === '' ? 'The tool failed without an error message' : text);
  results.set(error, output);
  throw Object.assign(error, { code: 'MCP_TOOL_ERROR' });
}

/** Returns the tool's own result, or one with the text for the model and the tool's non-text content. */
export function resultOf({ result, text, isError }: ToolAnswer): object {
  const { output } = result;
  if (isUnaltered(result) && isCallResult(output)) return output;
  const withText = { content: [{ type: 'text', text }] };
  if (!isError) return withText;
  const { content = [], structuredContent, _meta } = results.get(Object(result.error?.cause) as object) ?? {};
  return {
    content: [...withText.content, ...content.filter((part) => part?.type !== 'text')],
    ...(structuredContent === undefined ? {} : { structuredContent }),
    ...(_meta === undefined ? {} : { _meta }),
    isError: true,
  };
}
