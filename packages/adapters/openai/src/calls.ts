/** Owns reading the calls out of OpenAI's answers, and writing results as OpenAI takes them. Reads whatever it is given and never throws. */
import type { ModelCall, ToolAnswer } from '@holdfast/core/agent';
import type { ChatCompletion, ChatCompletionMessage, ChatCompletionToolMessageParam } from 'openai/resources/chat/completions';
import type { Response, ResponseInputItem, ResponseOutputItem } from 'openai/resources/responses/responses';

/** An answer of Chat Completions: the completion, its choice, or the message alone, which does not tell whether it was cut off. */
export type ChatAnswer = ChatCompletion | ChatCompletion.Choice | ChatCompletionMessage;

/** An answer of Responses: the response, or its output alone. */
export type ResponsesAnswer = Response | readonly ResponseOutputItem[];

/** What a tool's result is in the input of the next request. */
export type CallOutput = ResponseInputItem.FunctionCallOutput | { type: 'custom_tool_call_output'; call_id: string; output: string };

type Fields = Readonly<Record<string, unknown>>;

const fieldsOf = (value: unknown): Fields => (typeof value === 'object' && value !== null ? (value as Fields) : {});
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

export function chatCalls(answer: ChatAnswer): readonly ModelCall[] {
  const outer = fieldsOf(answer);
  const choice = 'choices' in outer ? fieldsOf(listOf(outer['choices'])[0]) : outer;
  const message = 'message' in choice ? fieldsOf(choice['message']) : choice;
  const truncated = choice['finish_reason'] === 'length';
  return listOf(message['tool_calls']).map((given) => {
    const call = fieldsOf(given);
    const custom = fieldsOf(call['custom']);
    const called = call['type'] === 'custom' ? { name: custom['name'], arguments: { input: custom['input'] } } : fieldsOf(call['function']);
    return { toolName: called['name'] as string, callId: call['id'] as string, arguments: called['arguments'], truncated };
  });
}

export function chatMessages(calls: readonly ModelCall[], answers: readonly ToolAnswer[]): ChatCompletionToolMessageParam[] {
  return answers.map(({ callId, text }, index) => ({ role: 'tool', tool_call_id: calls[index]?.callId ?? callId, content: text }));
}

interface ResponsesCall extends ModelCall {
  readonly custom: boolean;
}

export function responsesCalls(answer: ResponsesAnswer): readonly ResponsesCall[] {
  const outer = fieldsOf(answer);
  const items = Array.isArray(answer) ? (answer as readonly unknown[]) : listOf(outer['output']);
  const incomplete = outer['status'] === 'incomplete';
  return items.map(fieldsOf).flatMap((item) => {
    const custom = item['type'] === 'custom_tool_call';
    if (!custom && item['type'] !== 'function_call') return [];
    return {
      toolName: item['name'] as string,
      callId: item['call_id'] as string,
      arguments: custom ? { input: item['input'] } : item['arguments'],
      truncated: incomplete || item['status'] === 'incomplete',
      custom,
    };
  });
}

export function callOutputs(calls: readonly ResponsesCall[], answers: readonly ToolAnswer[]): CallOutput[] {
  return answers.map(({ callId, text }, index) => {
    const call = calls[index];
    const type = call?.custom ? 'custom_tool_call_output' : 'function_call_output';
    return { type, call_id: call?.callId ?? callId, output: text };
  });
}

/** The arguments as JSON where they are not what the model wrote. */
export function executedText({ repairs, arguments: args }: ToolAnswer): string | undefined {
  try {
    return repairs.length === 0 ? undefined : JSON.stringify(args);
  } catch {
    return undefined;
  }
}

/** Messages, or items, in which calls have the arguments that were executed in place of those the model wrote. */
export function asExecuted<Entry>(entries: readonly Entry[], executed: ReadonlyMap<string, string>): readonly Entry[] {
  if (executed.size === 0) return entries;
  const written = entries.map((entry) => {
    const fields = fieldsOf(entry);
    const own = fields['type'] === 'function_call' ? executed.get(String(fields['call_id'])) : undefined;
    if (own !== undefined) return own === fields['arguments'] ? entry : ({ ...entry, arguments: own } as Entry);
    const calls = listOf(fields['tool_calls']);
    const next = calls.map((call) => asExecutedCall(fieldsOf(call), executed));
    return next.every((call, index) => call === calls[index]) ? entry : ({ ...entry, tool_calls: next } as Entry);
  });
  return written.every((entry, index) => entry === entries[index]) ? entries : written;
}

function asExecutedCall(call: Fields, executed: ReadonlyMap<string, string>): Fields {
  const own = executed.get(String(call['id']));
  const inner = fieldsOf(call['function']);
  return own === undefined || call['type'] !== 'function' || own === inner['arguments']
    ? call
    : { ...call, function: { ...inner, arguments: own } };
}
