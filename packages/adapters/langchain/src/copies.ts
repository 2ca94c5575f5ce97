/** Owns copies of messages in which something is different. What is not named stays as it is, whatever the class. */
import type { AIMessage, BaseMessage, ToolCall } from '@langchain/core/messages';

export function changed<Message extends BaseMessage>(message: Message, fields: Readonly<Record<string, unknown>>): Message {
  const copy = Object.create(Object.getPrototypeOf(message) as object) as Message;
  return Object.assign(copy, message, fields, { lc_kwargs: { ...message.lc_kwargs, ...fields } });
}

/** What became of a call; `undefined`: it is gone. */
export type CallOf = (id: string | undefined) => ToolCall | undefined;

/** An answer with other calls. What the provider itself wrote of them goes: it would be sent again in their place. */
export function withCalls(
  answer: AIMessage,
  calls: readonly ToolCall[],
  callOf: CallOf,
  fields: Readonly<Record<string, unknown>> = {},
): AIMessage {
  const { tool_calls: _calls, ...kwargs } = answer.additional_kwargs;
  const { output: _output, ...metadata } = answer.response_metadata as Readonly<Record<string, unknown>>;
  const content = Array.isArray(answer.content) ? answer.content.flatMap((block: Block) => otherBlock(block, callOf)) : answer.content;
  return changed(answer, {
    content,
    tool_calls: calls,
    invalid_tool_calls: [],
    ...('tool_call_chunks' in answer ? { tool_call_chunks: [] } : {}),
    additional_kwargs: kwargs,
    response_metadata: metadata,
    ...fields,
  });
}

interface Block {
  readonly type?: unknown;
  readonly id?: string;
}

const callBlocks: ReadonlySet<unknown> = new Set(['tool_use', 'tool_call', 'function_call']);

function otherBlock(block: Block, callOf: CallOf): readonly Block[] {
  if (!callBlocks.has(block.type) || block.id === undefined) return [block];
  const call = callOf(block.id);
  if (!call) return [];
  const args = ['input', 'args'].filter((field) => field in block).map((field) => [field, call.args]);
  return [{ ...block, id: call.id, ...Object.fromEntries(args) } as Block];
}
