/**
 * Owns what a model reads of an answer: the output, or what was wrong, what is allowed, and what to do next. The same words whatever the framework.
 *
 * Invariants
 * 1. Never throws, whatever the output is.
 * 2. A failure says so in its first word, since some providers have no other sign of one.
 */
import { deliverOutput } from '../../engine/call/output.ts';
import type { FailedResult, SuccessfulResult, ToolResult } from '../../engine/call/result.ts';

/** Sentences that go below a failure, or below a success that needs a word. */
export type Notes = readonly string[];

export function textOf(result: ToolResult, notes: Notes = []): string {
  return [...(result.status === 'success' ? successLines(result) : failureLines(result)), ...notes].join('\n');
}

function successLines(result: SuccessfulResult): readonly string[] {
  const lines = [outputText(result.output)];
  if (result.partial) lines.push('Note: this is only what the tool had when its time was up.');
  if (result.altered === 'truncated') lines.push('Note: the output was too large and is cut.');
  return lines;
}

function failureLines({ error, output, fallbackUsed }: FailedResult): readonly string[] {
  const lines = [`Error ${error.code}: ${cut(error.message)}`];
  if (fallbackUsed && output !== undefined) lines.push(`Use this stand-in instead: ${outputText(output)}`);
  if (error.ambiguous && !error.advice?.includes('may have happened'))
    lines.push('It may have taken effect all the same: check before you repeat it.');
  if (error.advice) lines.push(`Next: ${error.advice}`);
  return lines;
}

/** Nobody learns more from a longer message; the result has all of it. */
const MAX_MESSAGE_CHARS = 2_000;

/** What tools say at the end of a long message is often the cause. */
function cut(message: string): string {
  if (message.length <= MAX_MESSAGE_CHARS) return message;
  const half = MAX_MESSAGE_CHARS / 2;
  return `${message.slice(0, half).replace(/[\uD800-\uDBFF]$/, '')} […] ${message.slice(-half).replace(/^[\uDC00-\uDFFF]/, '')}`;
}

/** Longer outputs than the service lets through do not come here; what JSON cannot tell is told as the service would. */
const MAX_CHARS = 10 * 1024 * 1024;

/**
 * Returns what a model reads of an output: a string as it is, anything else as JSON, and a short sentence for an empty one. Never throws.
 */
export function outputText(output: unknown): string {
  if (typeof output === 'string') return output === '' ? '(The tool answered with an empty text.)' : output;
  if (output === undefined) return '(Done. The tool answered with nothing.)';
  return inJson(output) ?? inJson(deliverOutput(output, MAX_CHARS).output) ?? '(The output cannot be told.)';
}

/** `undefined` for what JSON cannot tell. */
function inJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value) as string | undefined;
  } catch {
    return undefined;
  }
}
