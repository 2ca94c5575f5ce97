/** Owns copies of messages in which calls are others. What is not named stays as it is. */
import { AIMessage, ToolMessage } from '@langchain/core/messages';
import type { InvalidToolCall, ToolCall } from '@langchain/core/messages';

/** How the calls of an answer change. */
export interface OtherCalls {
  readonly calls: readonly ToolCall[];
  /** Calls that stay unread. */
  readonly unread: readonly InvalidToolCall[];
  /** What became of a call; `undefined`: it is gone. */
  readonly callOf: (id: string | undefined) => ToolCall | undefined;
  readonly content?: string | undefined;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

interface Block {
  readonly type?: unknown;
  readonly id?: string;
}

const callBlocks: ReadonlySet<unknown> = new Set(['tool_use', 'tool_call', 'function_call']);

export function withCalls(answer: AIMessage, { calls, unread, callOf, content, metadata }: OtherCalls): AIMessage {
  // What the provider wrote would be sent again in place of the calls.
  const { tool_calls: _calls, ...kwargs } = answer.additional_kwargs;
  const { output: _output, ...known } = answer.response_metadata as Readonly<Record<string, unknown>>;
  const { id, name, usage_metadata: usage } = answer;
  const blocks = Array.isArray(answer.content) ? answer.content.flatMap((block: Block) => otherBlock(block, callOf)) : undefined;
  return new AIMessage({
    content: (blocks ?? content ?? answer.content) as AIMessage['content'],
    ...(id === undefined ? {} : { id }),
    ...(name === undefined ? {} : { name }),
    ...(usage === undefined ? {} : { usage_metadata: usage }),
    additional_kwargs: kwargs,
    response_metadata: { ...known, ...metadata },
    tool_calls: [...calls],
    invalid_tool_calls: [...unread],
  });
}

function otherBlock(block: Block, callOf: OtherCalls['callOf']): readonly Block[] {
  if (!callBlocks.has(block.type) || block.id === undefined) return [block];
  const call = callOf(block.id);
  if (!call) return [];
  const argumentFields = ['input', 'args'].filter((field) => field in block).map((field) => [field, call.args]);
  return [{ ...block, id: call.id, ...Object.fromEntries(argumentFields) } as Block];
}

export function withCallId(message: ToolMessage, callId: string, content: ToolMessage['content']): ToolMessage {
  const { id, name, status, artifact, metadata, additional_kwargs: kwargs, response_metadata: response } = message;
  return new ToolMessage({
    content,
    tool_call_id: callId,
    ...(id === undefined ? {} : { id }),
    ...(name === undefined ? {} : { name }),
    ...(status === undefined ? {} : { status }),
    ...(artifact === undefined ? {} : { artifact: artifact as unknown }),
    ...(metadata === undefined ? {} : { metadata }),
    additional_kwargs: kwargs,
    response_metadata: response,
  });
}
