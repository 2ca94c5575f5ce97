/** Owns converting a server's result for the service, and Holdfast's answer back to a `CallToolResult`. */
import { isUnaltered } from '@holdfast/adapter-kit';
import type { ToolAnswer } from '@holdfast/core/agent';

/** The fields used of a tool's result; all others are kept. */
interface ServerResult {
  readonly content?: readonly { readonly type: string; readonly text?: unknown }[];
  readonly isError?: boolean;
}

/** Server results, by the errors created from them. */
const serverResults = new WeakMap<object, ServerResult>();

/** Returns a successful result; throws an error for a failed one. */
export function throwIfError(result: unknown): unknown {
  const { isError, content = [] } = Object(result) as ServerResult;
  if (isError !== true) return result;
  const text = content.flatMap((part) => (part.type === 'text' ? [String(part.text)] : [])).join('\n');
  const failed = new Error(text === '' ? 'The tool failed without an error message' : text);
  // Servers check their own output, too, once the tool has run.
  const error = brokenOutput.test(text) ? asOutputError(failed) : Object.assign(failed, { code: 'MCP_TOOL_ERROR' });
  serverResults.set(error, result as ServerResult);
  throw error;
}

/**
 * The SDKs check the output of a tool that they have listed, and throw the codes of an invalid request. The tool has run by then: what they throw must not be told
 * as wrong arguments.
 */
const brokenOutput =
  /\b(?:Structured content does not match|Failed to validate structured content|has an output schema but (?:did not return|no) structured content|Output validation error|has an invalid outputSchema)\b/;

/** Settings of every tool: an output that breaks its schema is no reason to repeat the call. */
export const outputErrorPolicy = { classification: [{ name: 'ToolOutputError', as: 'permanent', category: 'contract' }] } as const;

/** Returns the error of a client as the service classifies it. */
export function describeClientError(error: unknown): unknown {
  const { code, message } = Object(error) as { readonly code?: unknown; readonly message?: unknown };
  if ((code !== -32_602 && code !== -32_600) || !brokenOutput.test(String(message))) return error;
  return asOutputError(new Error(String(message).replace(/^MCP error -\d+: /, ''), { cause: error }));
}

const asOutputError = (error: Error): Error => Object.assign(error, { name: 'ToolOutputError', ambiguous: true });

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
  const { content = [], ...others } = serverResults.get(Object(result.error?.cause) as object) ?? {};
  return {
    ...others,
    content: [...withText.content, ...content.filter(({ type }) => type !== 'text')],
    isError: true,
  };
}
