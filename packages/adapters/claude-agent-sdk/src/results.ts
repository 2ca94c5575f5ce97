/** Owns converting a tool's result for the service, and Holdfast's answer back to a `CallToolResult`. */
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

type Part = NonNullable<CallResult['content']>[number];

const isPart = (part: unknown): part is Part =>
  typeof part === 'object' &&
  part !== null &&
  'type' in part &&
  (part.type !== 'text' || ('text' in part && typeof part.text === 'string'));

/** Whether the SDK can read an output; it completes a result without content. */
function isCallResult(output: unknown): output is CallResult {
  if (typeof output !== 'object' || output === null) return false;
  const { content } = output as CallResult;
  return content === undefined ? 'structuredContent' in output : Array.isArray(content) && content.every(isPart);
}

/** Returns a successful output; throws an error for a result that says that it is one. */
export function throwIfError(output: unknown): unknown {
  const { isError, content } = Object(output) as CallResult;
  if (isError !== true) return output;
  const parts = Array.isArray(content) ? (content as readonly unknown[]).filter(isPart) : [];
  const text = parts.flatMap((part) => (part.type === 'text' ? [String(part.text)] : [])).join('\n');
  const error = new Error(text === '' ? 'The tool failed without an error message' : text);
  results.set(error, { ...(output as CallResult), content: parts });
  throw Object.assign(error, { code: 'MCP_TOOL_ERROR' });
}

/** Returns the tool's own result, or one with the text for the model and the tool's non-text content. */
export function resultOf({ result, text, isError }: ToolAnswer): object {
  const { output } = result;
  const isWhole = result.status === 'success' && result.altered !== 'truncated' && !result.partial;
  if (isWhole && isCallResult(output)) return output;
  const withText = { content: [{ type: 'text', text }] };
  if (!isError) return withText;
  const { content = [], structuredContent, _meta } = results.get(Object(result.error?.cause) as object) ?? {};
  return {
    content: [...withText.content, ...content.filter(({ type }) => type !== 'text')],
    ...(structuredContent === undefined ? {} : { structuredContent }),
    ...(_meta === undefined ? {} : { _meta }),
    isError: true,
  };
}
