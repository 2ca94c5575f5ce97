/** Owns converting a server's result for the service, and Holdfast's answer back to a `CallToolResult`. */
import { errorOfResult, failedResultWith, fieldOf, isUnaltered, itemsOf, resultOfError } from '@holdfast/adapter-kit';
import type { Effect } from '@holdfast/core';
import type { ToolAnswer } from '@holdfast/core/agent';

/** Returns a successful result; throws an error for a failed one. */
export function throwIfError(result: unknown): unknown {
  const error = errorOfResult(result);
  if (!error) return result;
  // Servers check their own output, too, once the tool has run.
  throw brokenOutput.test(error.message) ? asOutputError(error) : error;
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

const outputError = 'ToolOutputError';

const asOutputError = (error: Error): Error => Object.assign(error, { name: outputError, ambiguous: true });

/** Whether the host has to act and call again, such as by opening a URL; this is not a failure. */
export function isHostError(error: unknown): boolean {
  return Object(error) === error && (error as { readonly code?: unknown }).code === -32_042;
}

/** Returns the server's result unchanged, or one with the text for the model and the server's non-text content. */
export function resultOf({ result, text, isError }: ToolAnswer): unknown {
  const { output } = result;
  if (isUnaltered(result) && typeof output === 'object' && output !== null) return output;
  return isError ? failedResultWith(text, result.error?.cause) : { content: [{ type: 'text', text }] };
}

/**
 * Returns the server's own result for a failure to which a client without a conversation has nothing to add: it was sent once, and shows nothing about its cause.
 * Where the tool is declared `unsafe`, the advice that it may have taken effect follows behind all that the server has said.
 * @throws the SDK's error for an output that it refuses, which is a mistake of the server and not of the call
 */
export function ownResultOf({ result }: ToolAnswer, effect: Effect | undefined): unknown {
  const { cause, rule, ambiguous, advice } = result.error ?? {};
  const { name, cause: refusal } = Object(cause) as { readonly name?: unknown; readonly cause?: unknown };
  if (name === outputError && refusal !== undefined) throw refusal;
  const own = rule === 'unknown' && result.attempts === 1 ? resultOfError(cause) : undefined;
  if (!own || effect !== 'unsafe' || !ambiguous || advice === undefined) return own;
  return { ...own, content: [...itemsOf(fieldOf(own, 'content')), { type: 'text', text: `Next: ${advice}` }] };
}
