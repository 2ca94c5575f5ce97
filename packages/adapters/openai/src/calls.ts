/** Owns reading calls from OpenAI's answers, and writing results in OpenAI's formats. Accepts any input and never throws. */
import type { UntypedFields } from '@holdfast/adapter-kit';
import { fieldsOf, isUnaltered, itemsOf } from '@holdfast/adapter-kit';
import type { ModelCall, ToolAnswer } from '@holdfast/core/agent';
import type { ChatCompletion, ChatCompletionMessage, ChatCompletionToolMessageParam } from 'openai/resources/chat/completions';
import type { Response, ResponseCustomToolCallOutput, ResponseInputItem, ResponseOutputItem } from 'openai/resources/responses/responses';

/** An answer of Chat Completions: the completion, its choice, or only the message, which does not show whether it was cut off. */
export type ChatAnswer = ChatCompletion | ChatCompletion.Choice | ChatCompletionMessage;

/** An answer of Responses: the response, or only its output. */
export type ResponsesAnswer = Response | readonly ResponseOutputItem[];

/** A tool result in the input of the next request. */
export type CallOutput = ResponseInputItem.FunctionCallOutput | ResponseCustomToolCallOutput;

/** A call, and its location in the answer. */
export interface LocatedCall extends ModelCall {
  readonly custom: boolean;
  readonly native: { arguments?: unknown };
}

/** The text of a custom tool call is passed as `input`. */
const locateCall = (callId: unknown, native: UntypedFields, custom: boolean, truncated: boolean): LocatedCall => ({
  toolName: native['name'] as string,
  callId: callId as string,
  arguments: custom ? { input: native['input'] } : native['arguments'],
  truncated,
  custom,
  native,
});

/** Finish reasons of answers whose calls may be incomplete. */
const cutOff: ReadonlySet<unknown> = new Set([null, 'length', 'content_filter']);

export function chatCalls(answer: ChatAnswer): readonly LocatedCall[] {
  const outer = fieldsOf(answer);
  const choice = 'choices' in outer ? fieldsOf(itemsOf(outer['choices'])[0]) : outer;
  const message = 'message' in choice ? fieldsOf(choice['message']) : choice;
  return itemsOf(message['tool_calls'])
    .map(fieldsOf)
    .map((call) => {
      const custom = call['type'] === 'custom';
      return locateCall(call['id'], fieldsOf(call[custom ? 'custom' : 'function']), custom, cutOff.has(choice['finish_reason']));
    });
}

export function responsesCalls(answer: ResponsesAnswer): readonly LocatedCall[] {
  const outer = fieldsOf(answer);
  return itemsOf(Array.isArray(answer) ? answer : outer['output'])
    .map(fieldsOf)
    .filter(({ type }) => type === 'function_call' || type === 'custom_tool_call')
    .map((item) => {
      const truncated = [outer, item].some(({ status }) => status !== undefined && status !== 'completed');
      return locateCall(item['call_id'], item, item['type'] === 'custom_tool_call', truncated);
    });
}

export const chatMessage = ({ callId }: ModelCall, { text }: ToolAnswer): ChatCompletionToolMessageParam => ({
  role: 'tool',
  tool_call_id: callId,
  content: text,
});

export function callOutput({ callId, custom }: LocatedCall, { result, text }: ToolAnswer): CallOutput {
  return {
    type: custom ? 'custom_tool_call_output' : 'function_call_output',
    call_id: callId,
    output: isUnaltered(result) && areParts(result.output) ? result.output : text,
  } as CallOutput;
}

/** Whether the output consists of valid text, image and file parts of Responses. Malformed parts are sent as JSON text. */
const areParts = (output: unknown): boolean => Array.isArray(output) && output.length > 0 && output.map(fieldsOf).every(isPart);

const isPart = ({ type, text }: UntypedFields): boolean =>
  type === 'input_image' || type === 'input_file' || (type === 'input_text' && typeof text === 'string');

/** Writes repaired arguments back into the model's answer, so that the transcript contains what was executed. */
export function writeExecutedArguments({ custom, native }: LocatedCall, { repairs, arguments: args }: ToolAnswer): void {
  if (repairs.length === 0 || custom) return;
  try {
    native.arguments = JSON.stringify(args);
  } catch {
    return;
  }
}
