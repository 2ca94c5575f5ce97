/**
 * Owns the text of an answer for the model: the output, or what was wrong, what is allowed and what to do next. The same for every framework.
 *
 * Invariants
 * 1. Never throws, for any output.
 * 2. The text of a failure begins with `Error`, since some providers have no other marker.
 */
import { deliverOutput } from '../../engine/call/output.ts';
import type { FailedResult, SuccessfulResult, ToolResult } from '../../engine/call/result.ts';

/** Lines that are appended to the text of a result. */
export type Notes = readonly string[];

export function textOf(result: ToolResult, notes: Notes = []): string {
  return [...(result.status === 'success' ? successLines(result) : failureLines(result)), ...notes].join('\n');
}

function successLines(result: SuccessfulResult): readonly string[] {
  const lines = [outputText(result.output)];
  if (result.partial) lines.push('Note: this is partial output; the tool timed out before it finished.');
  if (result.altered === 'truncated') lines.push('Note: the output was too large and was truncated.');
  return lines;
}

function failureLines({ error, output, fallbackUsed }: FailedResult): readonly string[] {
  const lines = [`Error ${error.code}: ${shorten(error.message)}`];
  if (fallbackUsed && output !== undefined) lines.push(`Use this fallback instead: ${outputText(output)}`);
  if (error.advice) lines.push(`Next: ${error.advice}`);
  return lines;
}

/** Longer messages do not help the model; the result has the full message. */
const MAX_MESSAGE_CHARS = 2_000;

/** Keeps the end of a long message too, since it often has the cause. */
function shorten(message: string): string {
  if (message.length <= MAX_MESSAGE_CHARS) return message;
  const half = MAX_MESSAGE_CHARS / 2;
  return `${message.slice(0, half).replace(/[\uD800-\uDBFF]$/, '')} […] ${message.slice(-half).replace(/^[\uDC00-\uDFFF]/, '')}`;
}

/** The service has already truncated longer outputs; values that JSON cannot represent are converted as the service does, and much binary data is described. */
const MAX_CHARS = 10 * 1024 * 1024;

/**
 * Returns the text of an output for the model: a string unchanged, any other value as JSON, and a short sentence for an empty output. Never throws.
 */
export function outputText(output: unknown): string {
  if (typeof output === 'string') return output === '' ? '(The tool returned an empty string.)' : output;
  if (output === undefined) return '(Done. The tool returned no output.)';
  const { output: shown } = deliverOutput(output, Infinity, MAX_CHARS / 4);
  return toJson(shown) ?? toJson(deliverOutput(output, MAX_CHARS).output) ?? '(The output cannot be serialized.)';
}

/** Returns `undefined` for a value that JSON cannot represent. */
function toJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value) as string | undefined;
  } catch {
    return undefined;
  }
}
