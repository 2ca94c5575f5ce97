/** Owns reading calls from answers of Converse, and writing results in its form. Accepts any input and never throws. */
import type { ConverseCommandOutput, Message, ToolResultBlock, ToolResultContentBlock } from '@aws-sdk/client-bedrock-runtime';
import { fieldsOf, isUnaltered, itemsOf } from '@holdfast/adapter-kit';
import type { ModelCall, ToolAnswer } from '@holdfast/core/agent';

/**
 * An answer: what the client returned, or only its message, which does not show whether it was cut off. Put together from a stream, the `input` of a call may be
 * the text that was streamed.
 */
export type ConverseAnswer = ConverseCommandOutput | Message | StreamedAnswer;

/** An answer put together from a stream. */
export interface StreamedAnswer {
  /** The message, as the client returns it. */
  readonly output: { readonly message: Message };
  /** Why the answer ended. `max_tokens` and others mean that its calls may be incomplete. */
  readonly stopReason?: string | undefined;
}

/** The user message with the results of an answer's calls. */
export interface ToolResults {
  /** Results go back as a message of the user. */
  role: 'user';
  /** One result for each call of the answer. */
  content: { toolResult: ToolResultBlock }[];
}

/** A call, and its location in the answer. */
export interface LocatedCall extends ModelCall {
  readonly native: { input?: unknown };
}

/** Stop reasons of answers whose calls may be incomplete; `null` while the answer is not complete. */
const cutOff: ReadonlySet<unknown> = new Set([
  null,
  'max_tokens',
  'model_context_window_exceeded',
  'content_filtered',
  'guardrail_intervened',
  'malformed_model_output',
  'malformed_tool_use',
]);

export function callsOf(answer: unknown): readonly LocatedCall[] {
  const outer = fieldsOf(answer);
  const message = 'output' in outer ? fieldsOf(fieldsOf(outer['output'])['message']) : outer;
  const truncated = cutOff.has(outer['stopReason']);
  return itemsOf(message['content']).flatMap((block) => {
    const native = fieldsOf(block)['toolUse'];
    const { toolUseId, name, input, type } = fieldsOf(native);
    if (!isRecord(native) || type === 'server_tool_use') return [];
    return { toolName: name as string, callId: toolUseId as string, arguments: input, truncated, native };
  });
}

export function resultOf({ callId }: LocatedCall, answer: ToolAnswer): { toolResult: ToolResultBlock } {
  const result = { toolUseId: callId, content: contentOf(answer) };
  return { toolResult: answer.isError ? { ...result, status: 'error' } : result };
}

/** Objects as `json`, blocks as returned by the tool; other outputs and errors as text. */
function contentOf({ result, text, isError }: ToolAnswer): ToolResultContentBlock[] {
  if (isError || !isUnaltered(result)) return [{ text }];
  const { output } = result;
  if (areBlocks(output)) return output;
  const json = isRecord(output) ? parse(text) : undefined;
  return isRecord(json) ? [{ json: json as ToolResultContentBlock.JsonMember['json'] }] : [{ text }];
}

/** The API takes an object only, and what JSON cannot represent has been replaced in the text. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);

const blockTypes: ReadonlySet<string> = new Set(['text', 'json', 'image', 'document', 'video', 'searchResult']);

const areBlocks = (output: unknown): output is ToolResultContentBlock[] =>
  Array.isArray(output) && output.length > 0 && output.map(fieldsOf).every(isBlock);

/** Malformed blocks are sent as JSON text: the API would refuse the whole conversation. */
function isBlock(block: Readonly<Record<string, unknown>>): boolean {
  const [name = '', ...more] = Object.keys(block);
  if (more.length > 0 || !blockTypes.has(name)) return false;
  return name === 'text' ? typeof block[name] === 'string' : isRecord(block[name]);
}

/** Writes repaired arguments back into the model's answer, and those that were streamed as text: the transcript contains what was executed. */
export function writeExecutedInput({ native }: LocatedCall, { repairs, arguments: args }: ToolAnswer): void {
  if (repairs.length === 0 && typeof native.input !== 'string') return;
  try {
    if (isRecord(args)) native.input = args;
  } catch {
    return;
  }
}
