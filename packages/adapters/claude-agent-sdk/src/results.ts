/** Owns converting a tool's result for the service, and Holdfast's answer back to a `CallToolResult`. */
import { errorOfResult, failedResultWith, isContentPart } from '@holdfast/adapter-kit';
import type { ToolAnswer } from '@holdfast/core/agent';

/** Whether the SDK can read an output; it completes a result without content. */
function isCallResult(output: unknown): output is object {
  if (typeof output !== 'object' || output === null) return false;
  const { content } = output as { readonly content?: unknown };
  return content === undefined ? 'structuredContent' in output : Array.isArray(content) && content.every(isContentPart);
}

/** Returns a successful output; throws an error for a result that says that it is one. */
export function throwIfError(output: unknown): unknown {
  const error = errorOfResult(output);
  if (error) throw error;
  return output;
}

/** Returns the tool's own result, or one with the text for the model and the tool's non-text content. */
export function resultOf({ result, text, isError }: ToolAnswer): object {
  const { output } = result;
  const isWhole = result.status === 'success' && result.altered !== 'truncated' && !result.partial;
  if (isWhole && isCallResult(output)) return output;
  return isError ? failedResultWith(text, result.error?.cause) : { content: [{ type: 'text', text }] };
}
